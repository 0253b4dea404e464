// Draws a terminal's screen as SVG: plays a recording (.cast) through the emulator up to a moment
// and draws that frame.
//
//   node scripts/screen-to-svg.mjs <file.cast> [--at <seconds>|--find <text>] [--moving]
//     [--title <text>] [--rows <first>-<last>] [-o out.svg]
//
// Without --at it draws the last frame; with --find the first frame that shows the text. Rows count
// from 1. With --moving it draws all frames until then, each shown for as long as it was (at most
// three seconds): a moving picture without scripts, which stands still on its last frame for
// readers who prefer reduced motion.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build, install, requireNode, root } from './setup.mjs'

const CELL_WIDTH = 8.4
const ROW_HEIGHT = 19
const FONT_SIZE = 14
/** Offset of the text's base line in a row. */
const BASELINE = 14
const PADDING = 18
const BAR_HEIGHT = 36
/** How long a picture of a moving one is shown. */
const SHORTEST_S = 0.5
const LONGEST_S = 3
const FONT =
  "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
const INK = '#d5dae3'
const PAPER = '#171a21'
const BAR = '#232833'
const EDGE = '#3a4150'
const BUTTONS = ['#e5707a', '#e8b04b', '#7fc08a']
const PALETTE = [
  ...['#2b303b', '#e5707a', '#7fc08a', '#e8b04b', '#6fa8dc', '#b79ad6', '#6fc3c3', '#d5dae3'],
  ...['#6b7484', '#f08d95', '#9bd6a5', '#f3c873', '#8fc0ec', '#cdb5e6', '#8fdada', '#ffffff'],
]

requireNode()
install()
build()
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    at: { type: 'string' },
    find: { type: 'string' },
    title: { type: 'string' },
    rows: { type: 'string' },
    moving: { type: 'boolean' },
    out: { type: 'string', short: 'o' },
  },
})
if (positionals.length !== 1) {
  console.error(
    'usage: node scripts/screen-to-svg.mjs <file.cast> [--at <seconds>|--find <text>] [--moving] [--title <text>] [--rows <a>-<b>] [-o out.svg]',
  )
  process.exit(2)
}
const { TerminalEmulator } = await import(pathToFileURL(join(root, 'dist', 'rooms', 'terminal', 'index.js')).href)
const { readWholeRecording } = await import(
  pathToFileURL(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js')).href
)
const { header, events } = await readWholeRecording(positionals[0])
const frames = play(header, events)
const frame = frames.at(-1)?.frame
if (!frame) {
  console.error(values.find ? `no frame shows "${values.find}"` : 'the recording has no frame before that time')
  process.exit(1)
}
const svg = draw(values.moving ? frames : frames.slice(-1), values.title ?? frame.title)
if (values.out) writeFileSync(values.out, svg)
else process.stdout.write(svg)

/** The frames until the wanted moment, with their times. */
function play({ cols, rows }, recorded) {
  const emulator = new TerminalEmulator({ cols, rows, scrollback: 2000 })
  const until = values.at === undefined ? Number.POSITIVE_INFINITY : Number(values.at)
  const found = []
  let isFound = false
  let t = 0
  const see = seen => {
    for (const event of seen) {
      if (event.type !== 'frame' || isFound) continue
      found.push({ t, frame: event.frame })
      isFound = values.find !== undefined && event.frame.lines.some(row => row.text.includes(values.find))
    }
  }
  for (const event of recorded) {
    if (event.t > until) break
    t = event.t
    if (event.kind === 'output') see(emulator.feed(event.bytes, t, { live: false }))
    else if (event.kind === 'resize') see(emulator.resize(event.cols, event.rows, t))
  }
  see(emulator.tick(Math.min(until, t + 1)))
  return values.find !== undefined && !isFound ? [] : found
}

function draw(all, title) {
  const screen = all.at(-1).frame
  const [first, last] = chooseRows(screen)
  const width = round(screen.cols * CELL_WIDTH + 2 * PADDING)
  const height = BAR_HEIGHT + (last - first + 1) * ROW_HEIGHT + PADDING + 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="${FONT}" font-size="${FONT_SIZE}">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="${PAPER}" stroke="${EDGE}"/>`,
    `<path d="M1 ${BAR_HEIGHT}V10.5a9.5 9.5 0 0 1 9.5-9.5h${width - 21}a9.5 9.5 0 0 1 9.5 9.5V${BAR_HEIGHT}z" fill="${BAR}"/>`,
    ...BUTTONS.map(
      (colour, index) => `<circle cx="${22 + index * 20}" cy="${BAR_HEIGHT / 2}" r="6" fill="${colour}"/>`,
    ),
    `<text x="${width / 2}" y="${BAR_HEIGHT / 2 + 5}" text-anchor="middle" fill="#8a94a3" font-size="13">${escapeXml(title)}</text>`,
    ...(all.length === 1 ? drawFrame(screen, first, last) : drawMoving(all, first, last)),
    '</svg>',
    '',
  ].join('\n')
}

function drawFrame(screen, first, last) {
  const body = screen.lines
    .slice(first, last + 1)
    .flatMap((row, index) => drawRow(row, BAR_HEIGHT + 10 + index * ROW_HEIGHT))
  const { cursor } = screen
  if (cursor.visible && cursor.y >= first && cursor.y <= last) {
    const y = BAR_HEIGHT + 10 + (cursor.y - first) * ROW_HEIGHT
    body.push(
      `<rect x="${columnAt(cursor.x)}" y="${y}" width="${CELL_WIDTH}" height="${ROW_HEIGHT}" fill="${INK}" opacity="0.75"/>`,
    )
  }
  return body
}

/**
 * One group of elements for each picture, visible in its part of the time. Each picture is shown
 * for at least half a second: frames between them are left out. The last one stays.
 */
function drawMoving(all, first, last) {
  const pictures = []
  for (const one of all) if (one === all.at(-1) || one.t - (pictures.at(-1)?.t ?? -1) >= SHORTEST_S) pictures.push(one)
  const lengths = pictures.map(({ t }, index) =>
    index === pictures.length - 1 ? 2 * LONGEST_S : Math.min(LONGEST_S, pictures[index + 1].t - t),
  )
  const total = lengths.reduce((sum, length) => sum + length, 0)
  let from = 0
  const drawn = pictures.map(({ frame: screen }, index) => {
    const [start, end] = [from, from + lengths[index]].map(time => round((100 * time) / total))
    from += lengths[index]
    const name = `f${index}`
    const isLast = index === pictures.length - 1
    const steps = `@keyframes ${name}{${index === 0 ? '' : '0%{visibility:hidden}'}${start}%{visibility:visible}${isLast ? '' : `${end}%{visibility:hidden}`}}`
    return {
      style: `${steps}.${name}{animation:${name} ${round(total)}s step-end infinite${isLast ? '' : ';visibility:hidden'}}`,
      body: `<g class="${name}">${drawFrame(screen, first, last).join('')}</g>`,
    }
  })
  return [
    `<style>${drawn.map(({ style: rules }) => rules).join('')}@media (prefers-reduced-motion:reduce){g{animation:none!important}}</style>`,
    ...drawn.map(({ body }) => body),
  ]
}

function chooseRows({ lines }) {
  if (values.rows) return values.rows.split('-').map(number => Number(number) - 1)
  const isBlank = row => row.spans.every(span => span.text.trim() === '' && span.bg === null && !span.inverse)
  return [
    0,
    Math.max(
      0,
      lines.findLastIndex(row => !isBlank(row)),
    ),
  ]
}

function drawRow(row, y) {
  return row.spans.flatMap(span => {
    const [ink, paper] = span.inverse
      ? [colourOf(span.bg) ?? PAPER, colourOf(span.fg) ?? INK]
      : [colourOf(span.fg) ?? INK, colourOf(span.bg)]
    const drawn = []
    if (paper)
      drawn.push(
        `<rect x="${columnAt(span.x)}" y="${y}" width="${round(span.width * CELL_WIDTH)}" height="${ROW_HEIGHT}" fill="${paper}"/>`,
      )
    const isPlain = [...span.text].length === span.width
    // Each group of words is placed separately, so that a font with other widths cannot shift a
    // column.
    const groups = isPlain ? [...span.text.matchAll(/\S+(?: \S+)*/gu)] : [...span.text.matchAll(/\S(?:.*\S)?/gu)]
    for (const group of groups) {
      const before = [...span.text.slice(0, group.index)].length
      const cells = isPlain
        ? [...group[0]].length
        : span.width - before - (span.text.length - span.text.trimEnd().length)
      drawn.push(
        `<text x="${columnAt(span.x + before)}" y="${y + BASELINE}" textLength="${round(cells * CELL_WIDTH)}" lengthAdjust="spacingAndGlyphs" fill="${ink}"${style(span)}>${escapeXml(group[0])}</text>`,
      )
    }
    return drawn
  })
}

function style({ bold, dim, italic, underline, strike }) {
  const decoration = [underline && 'underline', strike && 'line-through'].filter(Boolean).join(' ')
  return [
    bold ? ' font-weight="bold"' : '',
    italic ? ' font-style="italic"' : '',
    dim ? ' opacity="0.6"' : '',
    decoration ? ` text-decoration="${decoration}"` : '',
  ].join('')
}

/** An SVG colour from a palette index, `#rrggbb`, or null for the terminal's default. */
function colourOf(colour) {
  if (colour === null || typeof colour === 'string') return colour
  if (colour < 16) return PALETTE[colour]
  if (colour >= 232) return hex(Array(3).fill(8 + (colour - 232) * 10))
  const level = step => (step === 0 ? 0 : 55 + step * 40)
  const index = colour - 16
  return hex([level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6)])
}

function hex(parts) {
  return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`
}

function columnAt(column) {
  return round(PADDING + column * CELL_WIDTH)
}

function round(value) {
  return Math.round(value * 100) / 100
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
