/** The colours of the pages, light and dark. */
export const palette = `
:root {
  color-scheme: light dark;
  --page: #f6f8fa; --card: #ffffff; --line: #d0d7de; --ink: #1f2328; --soft: #59636e;
  --ok: #1a7f37; --warn: #9a6700; --bad: #cf222e; --busy: #0969da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1117; --card: #161b22; --line: #30363d; --ink: #e6edf3; --soft: #9198a1;
    --ok: #3fb950; --warn: #d29922; --bad: #f85149; --busy: #4493f8;
  }
}
* { box-sizing: border-box; margin: 0 }
`;
