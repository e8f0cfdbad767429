/** So wide is a tile for its height, at most. */
const tileShape = 1.7;
const screenShape = 1.6;

/** Tiles as large as so many can be on one screen, from 1280×800 to 4k; on a phone two beside each other, to scroll. */
export function wallStyle(tiles: number): string {
  const columns = Math.max(1, Math.ceil(Math.sqrt((tiles * screenShape) / tileShape)));
  const rows = Math.max(1, Math.ceil(tiles / columns));
  return `
.wall { height: 100vh; max-width: none; display: grid; grid-template-rows: auto minmax(0, 1fr); gap: 1vmin; padding: 1.2vmin; }
.wall .head { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }
.wall .head > * { margin: 0; }
.wall .overall { flex: 1 1 20rem; padding: .4rem 1rem; }
.wall .open { padding: .4rem 1rem; font-weight: 600; }
.wall .out { color: var(--soft); font-size: .9rem; padding: .4rem; }
.tiles { list-style: none; margin: 0; padding: 0; display: grid; gap: .8vmin; grid-template-columns: repeat(${columns}, minmax(0, 1fr)); grid-auto-rows: minmax(0, 1fr); }
.tile { --size: min(${(100 / columns / 11).toFixed(3)}vw, ${(88 / rows / 5.4).toFixed(3)}vh); font-size: max(.7rem, var(--size)); min-width: 0; overflow: hidden; display: flex; flex-direction: column; justify-content: space-between; padding: .5em .7em; border-radius: .5em; border: 1px solid var(--line); border-left: .35em solid var(--ok); background: var(--card); line-height: 1.2; }
.tile h2 { font-size: 1em; margin: 0; font-weight: 650; overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow-wrap: anywhere; }
.tile p { font-size: .8em; margin: 0; } .tile .small { display: block; color: var(--soft); margin: 0; white-space: nowrap; }
.tile.none { border-left-color: var(--none); }
.tile.warn { border-left-color: var(--warn); background: color-mix(in srgb, var(--warn) 22%, var(--card)); }
.tile.bad { border-color: var(--bad); background: light-dark(#b3261e, #8f1d17); color: #fff; }
.tile.bad :is(.state, .small) { color: #fff; }
.tile.bad .state, .tile.warn .state { font-size: 1.2em; }
.tile:is(.bad, .warn) .small { font-size: .72em; }
@media (max-width: 40rem) { .wall { height: auto; } .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tile { font-size: 1rem; } }
`;
}
