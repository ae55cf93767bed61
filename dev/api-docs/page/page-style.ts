import { palette } from "../../../src/adapters/ops/page/style.ts";

/** The one style of the page of the API. Holds no character that HTML would escape. */
export const style = `${palette}
html { scroll-padding-top: .8rem }
body {
  font: 0.95rem/1.5 system-ui, sans-serif; background: var(--page); color: var(--ink);
  max-width: 82rem; margin: 0 auto; padding: 1.2rem; overflow-wrap: break-word;
}
header { margin-bottom: 1rem }
h1 { font-size: 1.5rem; line-height: 1.2 }
h2 { font-size: 1.15rem; margin: 2rem 0 .3rem; text-transform: capitalize }
h3 { font-size: 1rem; line-height: 1.4 }
h3 code { font-size: 1rem; font-weight: 600; overflow-wrap: anywhere }
h4 { font-size: .8rem; font-weight: 600; color: var(--soft); margin: 1rem 0 .3rem }
a { color: var(--busy) }
nav a { text-decoration: none }
nav a:hover { text-decoration: underline }
p + p { margin-top: .6rem }
code, pre { font: .86em/1.5 ui-monospace, Menlo, monospace }
p code, td code, dd code, .messages code { background: var(--page); border-radius: .25rem; padding: .05em .3em }
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  padding: 1rem 1.2rem; margin-top: .8rem; min-width: 0;
}
article p { margin-top: .5rem }
section:first-child .card { margin-top: 0 }
dl + pre, table + pre { margin-top: .8rem }
h3 .method { margin-right: .3rem }
pre {
  background: var(--page); border: 1px solid var(--line); border-radius: .4rem;
  padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; margin-top: .3rem; tab-size: 2;
}
.command { user-select: all; border-left: .25rem solid var(--busy); cursor: copy }
.note { font-size: .82rem; color: var(--soft) }
.role { white-space: nowrap; font-size: .82rem; color: var(--soft); border: 1px solid var(--line); border-radius: 1rem; padding: .05rem .6rem; margin-left: .2rem }
.method { display: inline-block; min-width: 4.2em; text-align: center; font: 700 .72rem/1.7 ui-monospace, Menlo, monospace; border: 1px solid; border-radius: .3rem; padding: 0 .3em; vertical-align: .1em }
.get { color: var(--busy) }
.post { color: var(--ok) }
.put, .patch { color: var(--warn) }
.delete { color: var(--bad) }
table { width: 100%; border-collapse: collapse; margin-top: .8rem }
th { font-size: .8rem; font-weight: 600; color: var(--soft) }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th:nth-child(1) { width: 24% }
th:nth-child(2) { width: 22% }
dl { display: grid; grid-template-columns: 3rem 1fr; gap: .25rem .5rem }
dt { font-weight: 600; font-variant-numeric: tabular-nums }
.messages { padding-left: 1.1rem; margin-top: .4rem }
nav h2 { font-size: .85rem; margin: .7rem 0 0 }
nav ul { list-style: none; padding: 0 }
nav a { display: flex; gap: .5rem; align-items: baseline; min-height: 1.6rem; padding: .15rem 0 }
nav li a { color: var(--ink) }
nav .method { flex: none; border: 0; min-width: 3.6em; padding: 0; text-align: left; font-size: .68rem }
nav code { font-size: .76rem; overflow-wrap: anywhere }
nav { margin-top: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem }
:target { outline: 2px solid var(--busy); outline-offset: 2px }
h2:target { outline: 0 }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 18rem minmax(0, 1fr); gap: 0 1.8rem; align-items: start }
  header { grid-column: 1 / -1 }
  nav { grid-row: 2; position: sticky; top: .8rem; max-height: calc(100vh - 1.6rem); overflow-y: auto; scrollbar-width: thin }
  main { grid-column: 2; grid-row: 2 }
  .contents { display: none }
}
@media (max-width: 40rem) {
  body { padding: .8rem }
  .card { padding: .8rem }
  table, tbody, tr, td { display: block }
  thead { display: none }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
  td { padding: .05rem 0; border: 0 }
  td:nth-child(2) { font-size: .82rem; color: var(--soft) }
}
`;
