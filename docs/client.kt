/* A client for a JVM of version 11 or later. docs/clients.md explains it. Android has no java.net.http: write `exchange` with
   HttpURLConnection there, which can send PATCH on Android alone, and call the client outside the main thread. */

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.util.UUID
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeoutException

class Response(val status: Int, val bytes: ByteArray, address: String, private val headers: (String) -> String?) {
    val body get() = bytes.toString(Charsets.UTF_8)
    /** 0 if it is a date, which only proxies send. */
    val retryAfter get() = headers("Retry-After")?.toIntOrNull() ?: 0
    val isTokenRefused get() = "error=\"invalid_token\"" in (headers("WWW-Authenticate") ?: "")
    val isPageOfProxy get() = status < 300 && headers("Content-Type")?.startsWith("text/html") == true
    /** Where the link to the next page leads. It and the address differ in the query alone. */
    val following = Regex("<([^>]+)>; rel=\"next\"").find(headers("Link") ?: "")
        ?.let { address.substringBefore("?") + "?" + it.groupValues[1].substringAfter("?") }
}

class Failure(val response: Response) : Exception("${response.status} ${response.body}")

private val http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

/** One request and its response, to the end of the body. Throws IOException. */
fun exchange(method: String, address: String, headers: Map<String, String>, body: String?, timeoutMs: Long): Response {
    val content = if (body == null) BodyPublishers.noBody() else BodyPublishers.ofString(body)
    val request = HttpRequest.newBuilder(URI(address)).method(method, content)
    for ((name, value) in headers) request.header(name, value)
    val coming = http.sendAsync(request.build(), BodyHandlers.ofByteArray())
    try {
        // A time-out of the request itself ends when the body begins.
        val response = coming.get(timeoutMs, TimeUnit.MILLISECONDS)
        return Response(response.statusCode(), response.body(), address) { response.headers().firstValue(it).orElse(null) }
    } catch (e: ExecutionException) {
        throw IOException(e.cause)
    } catch (e: TimeoutException) {
        coming.cancel(true)
        throw IOException("no response in $timeoutMs ms")
    }
}

class Client(val origin: String, email: String, password: String, private val timeoutMs: Long = 10_000) {
    private val credentials = """{"email":${jsonText(email)},"password":${jsonText(password)}}"""
    private var token: String? = null
    val isLoggedIn get() = token != null

    /** Repeats the request while that may help: send only what is safe to repeat. Throws a Failure, or IOException without a response. */
    fun send(method: String, address: String, body: String? = null, headers: Map<String, String> = mapOf()): Response {
        for (backOff in listOf(1, 2, 4, 8, 16)) {
            val response = try { attempt(method, address, body, headers) } catch (e: IOException) { null }
            if (response != null) {
                if (response.status < 300) return response
                if (response.status !in listOf(408, 429, 502, 503, 504)) throw Failure(response)
            }
            Thread.sleep(1_000L * maxOf(backOff, response?.retryAfter ?: 0))
        }
        return attempt(method, address, body, headers).also { if (it.status >= 300) throw Failure(it) }
    }

    /** Sends the request once, and returns the response whatever its status; only a refused token makes it log in and send again. */
    fun attempt(method: String, address: String, body: String?, headers: Map<String, String>): Response {
        if (token == null) logIn()?.let { return it }
        val response = sendOnce(method, address, body, headers)
        if (!response.isTokenRefused) return response
        return logIn() ?: sendOnce(method, address, body, headers)
    }

    /** The response if it is an error. */
    private fun logIn(): Response? {
        token = null
        val response = sendOnce("POST", "$origin/api/v1/auth/login", credentials, mapOf())
        token = Regex("\"token\":\"([^\"]+)\"").find(response.body)?.groupValues?.get(1)
        return if (token == null) response else null
    }

    private fun sendOnce(method: String, address: String, body: String?, headers: Map<String, String>): Response {
        val more = mapOf("Content-Type" to "application/json") + (token?.let { mapOf("Authorization" to "Bearer $it") } ?: mapOf())
        val response = exchange(method, address, more + headers, body, timeoutMs)
        if (response.isPageOfProxy) throw IOException("the response is a page of a proxy, not of the service")
        return response
    }
}

fun jsonText(text: String) = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""

/** Stores a log with its key, so that it is written once even if the process is killed. A queue belongs to one employee. */
fun enqueue(queue: File, assetId: Long, log: String) {
    val new = File(queue, "$assetId-${UUID.randomUUID()}.new")
    FileOutputStream(new).use {
        it.write(log.toByteArray())
        it.fd.sync()
    }
    new.renameTo(File(queue, "${new.nameWithoutExtension}.json"))
}

/** The oldest first. Puts aside what the service refuses: show it to the user. */
fun writeQueued(client: Client, queue: File) {
    for (file in queue.listFiles { _, name -> name.endsWith(".json") }!!.sortedBy { it.lastModified() }) {
        val (assetId, key) = file.nameWithoutExtension.split("-", limit = 2)
        try {
            val address = "${client.origin}/api/v1/assets/$assetId/logs"
            val response = client.send("POST", address, file.readText(), mapOf("Idempotency-Key" to key))
            if (response.status != 201) throw IOException("${response.status} is not of the service")
            println(response.body)
            file.delete()
        } catch (e: Failure) {
            if (!client.isLoggedIn || e.response.status !in listOf(400, 404, 413, 422)) throw e
            System.err.println(e.message)
            file.renameTo(File(queue, "${file.name}.refused"))
        }
    }
}

/** The pages of a list, each a JSON array. */
fun pages(client: Client, path: String): Sequence<Response> =
    generateSequence(client.send("GET", client.origin + path)) { it.following?.let { next -> client.send("GET", next) } }

/** The entries that follow, and in `following` the address for a later call: keep it. If the first is entry 0 again, forget your copy. */
fun followTrail(client: Client, address: String? = null): Response {
    val first = "${client.origin}/api/v1/trail/entries?from=0&limit=1000"
    return try {
        client.send("GET", address ?: first)
    } catch (e: Failure) {
        if (e.response.status !in listOf(404, 409)) throw e // an older database was restored
        client.send("GET", first)
    }
}

fun clientFromEnvironment() = Client(System.getenv("ORIGIN") ?: "http://127.0.0.1:7070", System.getenv("EMAIL"),
    System.getenv("PASSWORD"), 1_000 * (System.getenv("TIMEOUT") ?: "10").toLong())

// An example: put your own here.
fun main() {
    val client = clientFromEnvironment()
    val queue = File("queue").also { it.mkdirs() }
    enqueue(queue, 1, """{"performedDate":"2026-11-21T09:30","status":"COMPLETED","taskType":"MAINTENANCE","comment":"Oil at 60 °C"}""")
    writeQueued(client, queue)
    for (page in pages(client, "/api/v1/logs?limit=2")) println(page.body)
    var part = followTrail(client)
    while (part.body != "[]") {
        println(part.body)
        part = followTrail(client, part.following)
    }
}
