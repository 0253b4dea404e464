// How much of a known answer the blocks of a recording contain: words in order, whole paragraphs
// and code lines, and the kinds of blocks.
import { basename, dirname, join } from 'node:path'
import { root } from './setup.mjs'

const dist = process.env.SIGNALBOX_DIST ?? join(root, 'dist')
const { Pane } = await import(join(dist, 'rooms', 'panes', 'index.js'))
const { loadPack } = await import(join(dist, 'rooms', 'agents', 'index.js'))
const { readWholeRecording } = await import(join(dist, 'rooms', 'terminal', 'recording', 'index.js'))
const { renderMarkdown } = await import(join(dist, 'rooms', 'screen', 'index.js'))
const { Conversation } = await import(join(dist, 'rooms', 'sessions', 'index.js'))

const SAID = new Set(['prose', 'code', 'list', 'table', 'diff'])
const ENDED = new Set(['idle_prompt', 'background_task', 'interrupted'])
const HOLD_S = 0.4
const packs = new Map()

/**
 * Reads a recording as a session would and scores every moment at which an answer is known to be
 * complete.
 */
export async function scoreBlocks(cast, side, { isGeneric = false } = {}) {
  const agent = side.agent ?? (/claude/i.test(side.program ?? '') ? 'claude' : basename(dirname(cast)))
  const packName = isGeneric ? null : agent.replace(/-[\d.]+$/, '')
  if (!packs.has(packName)) packs.set(packName, await loadPack(packName, null))
  const pack = packs.get(packName)
  const { header, events } = await readWholeRecording(cast)
  const pane = new Pane(pack, { cols: header.cols, rows: header.rows })
  const conversation = new Conversation('s', pack, pane.screen)
  const moments = (side.moments ?? []).filter(moment => moment.t != null).sort((a, b) => a.t - b.t)
  const results = []
  const drawn = new DrawnWords()
  const see = steps => {
    for (const step of steps) {
      if (step.type !== 'look') continue
      conversation.observe(step.look)
      drawn.add(step.look.frame.lines)
    }
  }
  const runTimers = until => {
    for (let due = pane.nextDeadline(); due !== null && due <= until; due = pane.nextDeadline()) {
      see(pane.tick(due))
      if (pane.nextDeadline() === due) break
    }
  }
  const stop = moment => {
    runTimers(moment.t)
    see(pane.endFrame(moment.t))
    const look = pane.screen.last
    if (!look) return
    conversation.beginTurn(look)
    const isEnd = ENDED.has(moment.view) && isComplete(moment)
    const sources = isEnd || moment.view === 'streaming' ? sourcesOf(side, moment) : []
    if (sources.length === 0) return
    const blocks = saidIn(conversation.extract(look, { isOpen: !isEnd }))
    const best = sources.map(texts => compare(texts, blocks)).sort((a, b) => overlap(b) - overlap(a))[0]
    // They count only if a gap is flagged.
    const undrawn = isEnd && best.missing ? drawn.missingOf(best.source) : 0
    results.push({ t: moment.t, cols: look.frame.cols, buffer: look.frame.buffer, isEnd, undrawn, ...best })
  }
  for (const event of events) {
    while (moments.length > 0 && moments[0].t < event.t) stop(moments.shift())
    runTimers(event.t)
    // Nothing is read right after a resize: the moment waits until the screen has settled.
    if (event.kind === 'resize')
      for (const moment of moments) if (moment.t < event.t + HOLD_S) moment.t = event.t + HOLD_S
    if (event.kind === 'output') see(pane.feed(event.bytes, event.t, { live: false }))
    else if (event.kind === 'resize') see(pane.resize(event.cols, event.rows, event.t))
  }
  for (const moment of moments) stop(moment)
  return { agent: agent === 'claude' ? `claude ${side.renderer ?? ''}`.trim() : agent, results }
}

/** The text of the model, without tools and the changes that they show. */
function saidIn(blocks) {
  return blocks.filter(
    (block, index) => SAID.has(block.kind) && !(block.kind === 'diff' && /^tool_/.test(blocks[index - 1]?.kind ?? '')),
  )
}

function overlap({ want, got, common }) {
  return (2 * common) / (want + got || 1)
}

/** This many words in a row are unique enough to be found. */
const TOGETHER = 10
const BEGINNING = 3

/** All rows that were on a screen, each with the one below it, as words. */
class DrawnWords {
  #rows = new Set()

  add(lines) {
    for (let index = 0; index < lines.length; index++)
      this.#rows.add(`${lines[index].text}\n${lines[index + 1]?.text ?? ''}`)
  }

  /**
   * Words of the source that were never on the screen: those of lines whose start was on no screen,
   * and in a line those that were not drawn together with the words before and after them. At the
   * edge of a gap that is a few words too strict.
   */
  missingOf(source) {
    const drawn = [...new Set([...this.#rows].map(rows => ` ${wordsOf(rows).join(' ')} `))]
    const isDrawn = words => drawn.some(rows => rows.includes(` ${words.join(' ')} `))
    let missing = 0
    for (const line of source.split('\n')) {
      const words = wordsOf(line)
      if (words.length > 0 && !isDrawn(words.slice(0, BEGINNING))) {
        missing += words.length
        continue
      }
      const last = Math.max(0, words.length - TOGETHER)
      const runs = Array.from({ length: last + 1 }, (_, at) => isDrawn(words.slice(at, at + TOGETHER)))
      missing += words.filter((_, at) => !runs[Math.min(at, last)] || !runs[Math.max(0, at - TOGETHER + 1)]).length
    }
    return missing
  }
}

function isComplete({ expect = {} }) {
  return expect.complete ?? expect.response !== undefined
}

/**
 * The texts that the model sent in this turn, in order. The sidecar does not always contain the
 * start of a turn (a queued prompt, a turn that the agent started), so there may be several
 * answers.
 */
function sourcesOf(side, moment) {
  const now = moment.expect?.text ?? moment.expect?.response
  if (!now) return []
  if (side.api) {
    const requests = [[]]
    for (const event of side.api) {
      if (event.t > moment.t || event.kind !== 'main') continue
      if (event.type === 'request') requests.push([])
      if (event.type === 'text_stop' && event.text.trim() !== '') requests.at(-1).push(event.text)
    }
    if (!requests.at(-1).includes(now) && !requests.flat().includes(now)) requests.at(-1).push(now)
    return requests.map((_, index) => requests.slice(index).flat()).filter(texts => texts.includes(now))
  }
  const texts = []
  for (const { t, expect = {} } of side.moments) {
    if (t > moment.t || !expect.response) continue
    if (texts.length > 0 && expect.response.startsWith(texts.at(-1))) texts.pop()
    texts.push(expect.response)
  }
  return texts.map((_, index) => texts.slice(index))
}

function compare(texts, blocks) {
  const source = texts.join('\n\n')
  const markdown = renderMarkdown(blocks)
  const want = wordsOf(source)
  const got = wordsOf(markdown)
  const common = longestCommon(want, got)
  const units = unitsOf(source)
  const lines = blocks.flatMap(block =>
    block.kind === 'code' ? block.lines : block.kind === 'diff' ? block.lines.map(line => line.sign + line.text) : [],
  )
  const said = ` ${got.join(' ')} `
  return {
    want: want.length,
    got: got.length,
    common,
    markdown,
    source,
    missing: blocks.some(block => block.missing),
    paragraphs: units.paragraphs.length,
    paragraphsRight: units.paragraphs.filter(text => said.includes(` ${wordsOf(text).join(' ')} `)).length,
    codeLines: units.code.length,
    codeRight: units.code.filter(line =>
      lines.some(own => own.trimEnd() === line.trimEnd() || own.trim() === line.trim()),
    ).length,
    kinds: kindsOf(source),
    gotKinds: kindsOf(markdown),
  }
}

function wordsOf(text) {
  return text
    .replace(/^\s*(`{3,}|~{3,}).*$/gmu, ' ')
    .replace(/\]\([a-z]+:[^)\s]+\)/gu, ' ')
    .replace(/\((https?:[^)\s]+)\)/gu, ' ')
    .replace(/[`*_~|#>\\[\]]/gu, ' ')
    .split(/\s+/u)
    .filter(word => /[\p{L}\p{N}\p{S}]/u.test(word) && !/^[-:=]+$/u.test(word))
}

function unitsOf(source) {
  const code = []
  const paragraphs = []
  let fence = null
  let current = []
  const flush = () => {
    if (current.length > 0) paragraphs.push(current.join('\n'))
    current = []
  }
  for (const line of source.split('\n')) {
    const mark = /^\s*(`{3,})/u.exec(line)?.[1]
    if (mark) {
      fence = fence ? null : mark
      flush()
    } else if (fence) {
      if (line.trim() !== '') code.push(line)
    } else if (line.trim() === '') flush()
    else current.push(line)
  }
  flush()
  return { code, paragraphs }
}

function kindsOf(markdown) {
  const kinds = { code: 0, diff: 0, table: 0, list: 0, heading: 0, quote: 0 }
  let fence = false
  let before = ''
  for (const line of markdown.split('\n')) {
    const mark = /^\s*`{3,}(\w*)/u.exec(line)
    if (mark) {
      if (!fence) kinds[mark[1] === 'diff' ? 'diff' : 'code']++
      fence = !fence
    } else if (!fence) {
      const kind = /^\|[\s:|-]+\|$/u.test(line)
        ? 'table'
        : /^\s*(?:[-*]|\d+\.) /u.test(line)
          ? 'list'
          : /^#+ /u.test(line)
            ? 'heading'
            : /^> /u.test(line)
              ? 'quote'
              : ''
      if (kind && (kind !== before || kind === 'heading' || kind === 'table')) kinds[kind]++
      before = kind
    }
  }
  return kinds
}

function longestCommon(a, b) {
  let above = new Uint32Array(b.length + 1)
  for (const word of a) {
    const row = new Uint32Array(b.length + 1)
    for (let n = 0; n < b.length; n++) row[n + 1] = word === b[n] ? above[n] + 1 : Math.max(row[n], above[n + 1])
    above = row
  }
  return above[b.length]
}
