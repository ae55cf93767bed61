/* A client for Android or a JVM. docs/clients.md explains it. Call it outside the main thread. */

import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.util.UUID

class Response(val status: Int, val body: String, val retryAfter: Int, val following: String?, val isTokenRefused: Boolean)

class Failure(val response: Response) : Exception("${response.status} ${response.body}")

class Client(val origin: String, val credentials: String) {
    private var token: String? = null
    val isLoggedIn get() = token != null

    /** Repeats the request while that may help: send only what is safe to repeat. Throws a Failure, or IOException without a response. */
    fun send(method: String, address: String, body: String? = null, key: String? = null): Response {
        for (backOff in listOf(1, 2, 4, 8, 16)) {
            val response = try { attempt(method, address, body, key) } catch (e: IOException) { null }
            if (response != null) {
                if (response.status < 300) return response
                if (response.status !in listOf(408, 429, 502, 503, 504)) throw Failure(response)
            }
            Thread.sleep(1_000L * maxOf(backOff, response?.retryAfter ?: 0))
        }
        return attempt(method, address, body, key).also { if (it.status >= 300) throw Failure(it) }
    }

    private fun attempt(method: String, address: String, body: String?, key: String?): Response {
        if (token == null) logIn()?.let { return it }
        val response = sendOnce(method, address, body, key)
        if (!response.isTokenRefused) return response
        return logIn() ?: sendOnce(method, address, body, key)
    }

    /** The response if it is an error. */
    private fun logIn(): Response? {
        token = null
        val response = sendOnce("POST", "$origin/api/v1/auth/login", credentials, null)
        token = Regex("\"token\":\"([^\"]+)\"").find(response.body)?.groupValues?.get(1)
        return if (token == null) response else null
    }

    private fun sendOnce(method: String, address: String, body: String?, key: String?): Response {
        val connection = URL(address).openConnection() as HttpURLConnection
        connection.requestMethod = method
        connection.connectTimeout = 10_000
        connection.readTimeout = 10_000
        token?.let { connection.setRequestProperty("Authorization", "Bearer $it") }
        key?.let { connection.setRequestProperty("Idempotency-Key", it) }
        if (body != null) {
            connection.doOutput = true
            connection.setRequestProperty("Content-Type", "application/json")
            connection.outputStream.use { it.write(body.toByteArray()) }
        }
        val status = connection.responseCode
        val stream = if (status < 400) connection.inputStream else connection.errorStream
        val text = stream?.use { it.readBytes().toString(Charsets.UTF_8) } ?: ""
        val link = Regex("<([^>]+)>; rel=\"next\"").find(connection.getHeaderField("Link") ?: "")
        // Only proxies send a date.
        val retryAfter = connection.getHeaderField("Retry-After")?.toIntOrNull() ?: 0
        // The link and the address differ in the query alone.
        val following = link?.let { address.substringBefore("?") + "?" + it.groupValues[1].substringAfter("?") }
        val isTokenRefused = "error=\"invalid_token\"" in (connection.getHeaderField("WWW-Authenticate") ?: "")
        return Response(status, text, retryAfter, following, isTokenRefused)
    }
}

/** Stores a log with its key, so that it is written once even if the app is killed. A queue belongs to one employee. */
fun enqueue(queue: File, assetId: Long, log: String) {
    val new = File(queue, "$assetId.${UUID.randomUUID()}.new")
    new.writeText(log)
    new.renameTo(File(queue, "${new.nameWithoutExtension}.json"))
}

/** Puts aside what the service refuses: show it to the user. */
fun writeQueued(client: Client, queue: File) {
    for (file in queue.listFiles { _, name -> name.endsWith(".json") }!!) {
        val (asset, key) = file.name.split(".")
        try {
            println(client.send("POST", "${client.origin}/api/v1/assets/$asset/logs", file.readText(), key).body)
            file.delete()
        } catch (e: Failure) {
            if (!client.isLoggedIn || e.response.status !in listOf(400, 404, 413, 422)) throw e
            System.err.println(e.message)
            file.renameTo(File(queue, "${file.name}.refused"))
        }
    }
}

/** The pages of a list, each a JSON array. The trail's has no end: stop at an empty one, and keep its `following`. */
fun pages(client: Client, path: String): Sequence<Response> =
    generateSequence(client.send("GET", client.origin + path)) { it.following?.let { next -> client.send("GET", next) } }

fun main() {
    val (origin, email, password) = listOf("ORIGIN", "EMAIL", "PASSWORD").map { System.getenv(it) }
    val client = Client(origin, """{"email":"$email","password":"$password"}""")
    val queue = File("queue").also { it.mkdirs() }
    enqueue(queue, 1, """{"performedDate":"2026-11-21T09:30","status":"COMPLETED","taskType":"MAINTENANCE","comment":"Oil"}""")
    writeQueued(client, queue)
    for (page in pages(client, "/api/v1/logs?limit=2")) println(page.body)
    for (part in pages(client, "/api/v1/trail/entries?from=0&limit=1000").takeWhile { it.body != "[]" }) println(part.body)
}
