// `npm run eval:themes -- [--misses] [--only text] [--theme name] [--shipped] [dir]…`: reads every
// recording as drawn in other themes (scripts/recolour.mjs; with --shipped: the recordings of
// OpenCode in the themes that it ships with) and compares views, calls for a person, drafts, the
// blocks on the screen and the finished conversation with the original. Exits 1 if an agent loses
// more than one percent of any of them. Without a directory: that of labelled-recordings.mjs.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { corpusDirectory, needDirectories, readArguments, recordings } from './labelled-recordings.mjs'
import { recolour, THEMES, themesOf } from './recolour.mjs'
import { build, install, root } from './setup.mjs'

if (!process.argv.includes('--no-build')) {
  install()
  build()
}
const { Replay } = await import(join(root, 'dist', 'rooms', 'panes', 'index.js'))
const { loadPack } = await import(join(root, 'dist', 'rooms', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(root, 'dist', 'rooms', 'terminal', 'recording', 'index.js'))
const { Conversation } = await import(join(root, 'dist', 'rooms', 'sessions', 'index.js'))
const { classify, initialMemory, renderMarkdown } = await import(join(root, 'dist', 'rooms', 'screen', 'index.js'))
const { acceptedViews } = await import('./score-moments.mjs')

/** How much of the original must remain, per agent. */
const BAR = 0.99
const MEASURES = ['views', 'right', 'calls', 'drafts', 'blocks', 'answers']

const { args, flag, option } = readArguments()
flag('--no-build')
const isShowingMisses = flag('--misses')
const isGeneric = flag('--generic')
const isShipped = flag('--shipped')
const only = option('--only') ?? (isShipped ? '/opencode/' : null)
const theme = option('--theme')
if (args.length === 0) args.push(...corpusDirectory())
needDirectories(args, 'eval:themes')
const known = isShipped
  ? themesOf(readFileSync(join(root, 'test', 'packs', 'opencode-themes.txt'), 'utf8'), 'opencode')
  : THEMES
const themes = Object.keys(known).filter(name => theme === null || name === theme)
const packs = new Map()
const table = new Map()
for (const directory of args) {
  for (const cast of recordings(directory)) {
    if (only && !cast.includes(only)) continue
    const side = JSON.parse(readFileSync(cast.replace(/\.cast$/, '.json'), 'utf8'))
    const name = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
    const agent = isGeneric || name === 'shell' ? null : name.replace(/-[\d.]+$/, '')
    if (!packs.has(agent)) packs.set(agent, await loadPack(agent, null))
    const moments = (side.moments ?? [])
      .filter(moment => moment.view !== 'exited' && moment.t != null && moment.score !== false)
      .sort((a, b) => a.t - b.t)
    const { header, events } = await readWholeRecording(cast)
    const original = read(events, header, packs.get(agent), moments)
    for (const kind of themes) {
      const seen = read(recolour(events, isShipped ? known[kind] : kind), header, packs.get(agent), moments)
      const row = table.get(name) ?? table.set(name, new Map()).get(name)
      const sum = row.get(kind) ?? row.set(kind, Object.fromEntries(MEASURES.map(key => [key, [0, 0]]))).get(kind)
      compare(sum, original, seen, { cast: `${basename(dirname(cast))}/${basename(cast)}`, kind, moments })
    }
  }
}

function read(events, header, pack, moments) {
  const replay = new Replay({ pack, cols: header.cols, rows: header.rows })
  const conversation = new Conversation('s', pack, replay.pane.screen)
  const see = steps => {
    for (const step of steps) if (step.type === 'look') conversation.observe(step.look)
  }
  const waiting = [...moments]
  const seen = []
  const readUntil = end => {
    while (waiting.length > 0 && waiting[0].t < end) {
      const moment = waiting.shift()
      see(replay.endFrame(moment.t))
      const state = replay.pane.state(moment.t)
      const look = replay.pane.screen.last
      if (look) conversation.beginTurn(look)
      seen.push({
        view: state.view,
        isRight: acceptedViews(moment).has(state.view),
        call: state.awaiting !== null || state.view === 'auth_required',
        rule: look?.observation.rule,
        draft: look?.observation.composer?.draft ?? null,
        blocks: look ? blocksOn(look.frame, pack) : '',
        answer: look && moment.expect?.response ? said(conversation.extract(look, { isOpen: false })) : '',
      })
    }
  }
  for (const event of events) {
    readUntil(event.t)
    see(replay.apply(event))
  }
  readUntil(Number.POSITIVE_INFINITY)
  return seen
}

function blocksOn(frame, pack) {
  const { blocks } = classify(frame, initialMemory(), pack).layout
  return blocks.map(block => `${block.kind} ${block.first}-${block.last}`).join(', ')
}

/**
 * Kinds and words: without colours code inside a sentence cannot be distinguished from the
 * sentence.
 */
function said(blocks) {
  return blocks
    .map(
      block =>
        `${block.kind}: ${renderMarkdown([block])
          .replace(/[`*_\\\s]+/gu, ' ')
          .trim()}`,
    )
    .join('\n')
}

function compare(sum, original, seen, { cast, kind, moments }) {
  original.forEach((before, index) => {
    const after = seen[index]
    const isSame = {
      views: before.view === after.view,
      // Of what was right before, what is still right.
      right: after.isRight || !before.isRight,
      calls: before.call === after.call,
      drafts: before.draft === after.draft,
      blocks: before.blocks === after.blocks,
      answers: before.answer === after.answer,
    }
    for (const key of MEASURES) {
      sum[key][1]++
      if (isSame[key]) sum[key][0]++
    }
    if (isShowingMisses && MEASURES.some(key => !isSame[key]))
      console.log(JSON.stringify({ cast, kind, t: moments[index].t, label: moments[index].view, before, after }))
  })
}

const percent = ([part, whole]) => (whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)).padStart(7)
console.log('Unchanged, in percent of the moments'.padEnd(37), ...MEASURES.map(key => key.padStart(7)), ' moments')
const missed = []
for (const [agent, row] of [...table].sort()) {
  for (const [kind, sum] of row) {
    console.log(
      agent.padEnd(14),
      kind.padEnd(22),
      ...MEASURES.map(key => percent(sum[key])),
      String(sum.views[1]).padStart(8),
    )
    for (const key of ['right', 'calls', 'drafts', 'blocks', 'answers'])
      if (sum[key][0] / sum[key][1] < BAR) missed.push(`${agent}, ${kind}: ${key} ${percent(sum[key]).trim()} %`)
  }
}
console.log(missed.length === 0 ? 'all bars are met' : `below ${100 * BAR} %:\n${missed.join('\n')}`)
if (missed.length > 0) process.exitCode = 1
