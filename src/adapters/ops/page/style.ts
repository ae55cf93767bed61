/** The colours of the pages, light and dark. */
export const palette = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f8fa, #0d1117); --card: light-dark(#fff, #161b22); --line: light-dark(#d0d7de, #30363d);
  --ink: light-dark(#1f2328, #e6edf3); --soft: light-dark(#59636e, #9198a1); --ok: light-dark(#1a7f37, #3fb950);
  --warn: light-dark(#9a6700, #d29922); --bad: light-dark(#cf222e, #f85149); --busy: light-dark(#0969da, #4493f8);
}
* { box-sizing: border-box; margin: 0 }
`;

/** The one style of the status page; its hash is in the page's policy. Holds no character that HTML would escape. */
export const style = `${palette}body {
  font: 0.95rem/1.45 system-ui, sans-serif; background: var(--page); color: var(--ink);
  max-width: 72rem; margin: 0 auto; padding: 1.2rem;
}
header { display: flex; flex-wrap: wrap; gap: .3rem 1rem; align-items: center }
h1 { font-size: 1.3rem }
h2 { font-size: .85rem; font-weight: 600; color: var(--soft) }
section { margin-top: 1.2rem }
ul { list-style: none; padding: 0 }
a { color: var(--busy) }
.badge { font-weight: 700; padding: .1rem .8rem; border-radius: 1rem; border: 2px solid }
.checks { display: flex; flex-wrap: wrap; gap: 0 1rem; width: 100% }
.checks .ok, .badge.ok { color: var(--ok) }
.checks .bad, .badge.bad, .attention .bad { color: var(--bad) }
.attention { margin-top: 1rem; padding: .6rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: .4rem }
.attention .warn { color: var(--warn) }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .7rem }
.card {
  padding: .6rem .9rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--ok); border-radius: .4rem;
}
.card.warn { border-left-color: var(--warn) }
.card.bad { border-left-color: var(--bad) }
.figure { font-size: 1.5rem; font-variant-numeric: tabular-nums }
.warn .figure { color: var(--warn) }
.bad .figure { color: var(--bad) }
.note { font-size: .8rem; font-weight: 400; color: var(--soft) }
.bar { display: block; width: 100%; height: .4rem; margin: .2rem 0 }
.track { fill: var(--line) }
.fill { fill: var(--busy) }
.warn .fill { fill: var(--warn) }
.bad .fill { fill: var(--bad) }
.chart { display: block; width: 100%; height: 6rem; margin-top: .3rem; background: var(--card); border: 1px solid var(--line); border-radius: .4rem }
.answered { fill: var(--busy) }
.failed { fill: var(--bad) }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; margin-top: .3rem; background: var(--card); border: 1px solid var(--line) }
th, td { text-align: left; padding: .25rem .7rem; border-bottom: 1px solid var(--line); white-space: nowrap }
th { font-size: .8rem; color: var(--soft) }
td:last-child { width: 14rem; min-width: 6rem }
tr.bad .number { color: var(--bad) }
.number { text-align: right; font-variant-numeric: tabular-nums }
code { font: .9em ui-monospace, monospace }
@media (max-width: 40rem) {
  body { padding: .8rem }
  .cards { grid-template-columns: 1fr 1fr }
  table { font-size: .8rem }
  th, td { padding: .25rem .35rem }
  td:nth-child(2) { white-space: normal; overflow-wrap: anywhere }
  th:last-child, td:last-child { display: none }
}
footer { margin-top: 1.2rem; font-size: .8rem; color: var(--soft) }
`;
