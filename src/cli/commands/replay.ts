import { join } from 'node:path'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import { isProtocolRecording, replayProtocol } from '../../sessions/acp/index.js'
import { explainMoment, type ReplayedLine, SessionReplay, seconds } from '../../sessions/replay/index.js'
import { plural, visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { parseSize } from '../parse-options.js'
import { explanationLines, explanationText } from '../replay/explain-text.js'
import { momentLine } from '../replay/moment-text.js'
import { type ChosenPack, choosePack, parseNumbers, type Recorded, readRecorded } from '../replay/recorded.js'
import { withRecordingFile } from '../replay/recording-file.js'
import type { InputOf } from '../specs/index.js'

export async function run(context: CommandContext, { args, options }: InputOf<'replay'>): Promise<number> {
  const at = parseNumbers(options.at, 'time')
  const atEvent = parseNumbers(options.atEvent, 'number of events')
  const size = parseSize(options.size)
  const recorded = await withRecordingFile(context, args.file, path => readRecorded(path, size))
  if (isProtocolRecording(recorded.events)) return replayMessages(context, recorded, options, at)
  const named = { agent: options.agent ?? null, version: options.agentVersion ?? null }
  const packs = join(resolveDirectories(context.env, context.env.HOME).config, 'packs')
  const chosen = await choosePack(recorded, named, packs)
  if (chosen.isMissing)
    context.note(`signalbox: there is no pack for "${named.agent}"; its screens are read by structure alone`)
  const isMarkdown = options.markdown === true
  const isJson = options.json === true || (!context.isOutputTty && !isMarkdown)
  const replay = new SessionReplay({
    pack: chosen.pack,
    cols: recorded.cols,
    rows: recorded.rows,
    isEveryFrame: options.all === true,
    hasBlocks: options.blocks === true || isMarkdown,
    settings: openHome(context).loaded.config,
  })
  const printer = new Printer(context, replay, chosen, {
    isJson,
    isMarkdown,
    isExplained: options.explain === true,
    hasBlocks: options.blocks === true,
  })
  if (at || atEvent) replayAt(recorded, replay, at ?? [], atEvent ?? [], printer)
  else {
    printer.begin(recorded)
    for (const event of recorded.events) printer.lines(replay.apply(event))
    printer.lines(replay.finish())
    printer.end(recorded)
  }
  if (recorded.badLines > 0) context.note(`signalbox: ${plural(recorded.badLines, 'invalid line')} of the file skipped`)
  return EXIT.ok
}

/** A session over the protocol has no screen: its messages are printed. */
function replayMessages(
  context: CommandContext,
  { events, duration }: Recorded,
  options: InputOf<'replay'>['options'],
  at: readonly number[] | null,
): number {
  const isJson = options.json === true || (!context.isOutputTty && options.markdown !== true)
  const end = at?.at(-1) ?? Number.POSITIVE_INFINITY
  if (isJson) context.json({ type: 'replay', format: 'protocol', events: events.length, duration: seconds(duration) })
  for (const moment of replayProtocol(events)) {
    if (moment.t > end) break
    const { t, from, method, is, text } = moment
    if (isJson) context.json({ type: 'protocol', t: seconds(t), from, method, is, text })
    else {
      context.out(context.style('dim', `${t.toFixed(1)} s · ${from}${method === null ? '' : ` · ${method}`} · ${is}`))
      context.out(visibleText(text))
    }
  }
  return EXIT.ok
}

/** Prints only the states at the given times, and after the given numbers of events. */
function replayAt(
  recorded: Recorded,
  replay: SessionReplay,
  times: readonly number[],
  counts: readonly number[],
  printer: Printer,
): void {
  const [at, after] = [[...times], [...counts]]
  recorded.events.forEach((event, index) => {
    while (at.length > 0 && at[0]! < event.t) printer.lines([replay.at(at.shift()!)])
    while (after.length > 0 && after[0]! <= index) printer.lines([{ ...replay.at(replay.t), at: after.shift()! }])
    replay.apply(event)
  })
  for (const count of after) printer.lines([{ ...replay.at(replay.t), at: count }])
  for (const t of at) printer.lines([replay.at(t)])
}

class Printer {
  readonly #context: CommandContext
  readonly #replay: SessionReplay
  readonly #chosen: ChosenPack
  readonly #mode: { isJson: boolean; isMarkdown: boolean; isExplained: boolean; hasBlocks: boolean }

  constructor(
    context: CommandContext,
    replay: SessionReplay,
    chosen: ChosenPack,
    mode: { isJson: boolean; isMarkdown: boolean; isExplained: boolean; hasBlocks: boolean },
  ) {
    this.#context = context
    this.#replay = replay
    this.#chosen = chosen
    this.#mode = mode
  }

  begin({ format, cols, rows, events, duration }: Recorded): void {
    const { agent, version, pack } = this.#chosen
    const name = pack.file.split('/').slice(-2).join('/')
    if (this.#mode.isJson)
      this.#context.json({
        type: 'replay',
        format,
        cols,
        rows,
        agent,
        agentVersion: version,
        pack: name,
        events: events.length,
        duration: seconds(duration),
      })
    else if (!this.#mode.isMarkdown)
      this.#context.out(
        this.#context.style(
          'dim',
          `${agent ?? 'unknown agent'}${version ? ` ${version}` : ''} · pack ${name} · ${cols}x${rows} · ${plural(events.length, 'event')} · ${duration.toFixed(1)} s`,
        ),
      )
  }

  lines(lines: readonly ReplayedLine[]): void {
    for (const line of lines) {
      if (line.type === 'message') this.#message(line)
      else if (line.type === 'block') this.#block(line)
      else if (!this.#mode.isMarkdown || this.#mode.isJson) this.#moment(line)
    }
  }

  end(recorded: Recorded): void {
    const { t, exit, counters } = this.#replay
    const { isJson, isMarkdown } = this.#mode
    if (isJson) this.#context.json({ type: 'end', t: seconds(t), exit, truncated: recorded.truncated, counters })
    else if (!isMarkdown) {
      const { frames, changes, anchored, structural, unknown, flicker } = counters
      this.#context.out(
        this.#context.style(
          'dim',
          `${plural(frames, 'frame')}, ${plural(changes, 'change')}: ${anchored} by rules, ${structural} by structure, ${unknown} not recognised${flicker > 0 ? `, flicker ${flicker}` : ''}${exit ? `; exit ${exit.signal ?? exit.code}` : ''}`,
        ),
      )
    }
    if (!isJson && recorded.truncated)
      this.#context.note('signalbox: the recording is truncated; its incomplete last line was skipped')
  }

  #moment(line: Extract<ReplayedLine, { type: 'change' | 'at' }>): void {
    const { isJson, isExplained } = this.#mode
    if (isJson)
      this.#context.json(
        line.type === 'at' ? { type: 'at', at: line.at, ...line.fields } : { type: 'change', ...line.fields },
      )
    else if (!isExplained)
      this.#context.out(momentLine(line.fields, this.#context, line.type === 'at' ? line.at : undefined))
    if (!isExplained) return
    const explanation = explainMoment(line.moment, this.#chosen.pack, this.#replay.timeline, [])
    if (isJson) for (const value of explanationLines(explanation).slice(1)) this.#context.json(value)
    else for (const text of [...explanationText(explanation, this.#context), '']) this.#context.out(text)
  }

  #block(line: Extract<ReplayedLine, { type: 'block' }>): void {
    if (!this.#mode.hasBlocks) return
    if (this.#mode.isJson) this.#context.json({ ...line, t: seconds(line.t) })
    else if (!this.#mode.isMarkdown)
      for (const text of line.markdown.split('\n'))
        this.#context.out(`${' '.repeat(11)}${this.#context.style('dim', '│')} ${text}`)
  }

  #message({ type, t, turn, message, markdown }: Extract<ReplayedLine, { type: 'message' }>): void {
    if (!this.#mode.isMarkdown) return
    if (this.#mode.isJson) this.#context.json({ type, t: seconds(t), turn, message, markdown })
    else this.#context.out(`${markdown.trimEnd()}\n`)
  }
}
