import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPack } from '../../agents/packs/index.js'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { PaneExplanation } from '../../host/index.js'
import { type Explanation, explainRecording, explainScreen } from '../../sessions/replay/index.js'
import { frameFromText } from '../../terminal/index.js'
import type { CommandInput } from '../command-spec.js'
import type { CommandContext } from '../context.js'
import { choosePack } from '../replay/choose-pack.js'
import { explanationLines, explanationText } from '../replay/explain-lines.js'
import { parseNumbers, parseSizeOption, readRecorded } from '../replay/recorded.js'
import { supervisionLines, supervisionText } from '../watch/supervision-text.js'

export async function run(context: CommandContext, { args, options }: CommandInput): Promise<number> {
  const sources = [args.id, options.file, options.screen].filter(source => source !== undefined)
  if (sources.length !== 1)
    throw new SignalboxError('E_INPUT', 'explain needs one thing to explain', {
      next: 'a session, --file with a recording, or --screen with a text file',
    })
  const times = parseNumbers(options.at, 'time')
  if (times && times.length > 1)
    throw new SignalboxError('E_INPUT', 'explain takes one time', {
      next: 'signalbox replay --at … --explain takes several',
    })
  const at = times?.[0] ?? null
  const explanation: Partial<Explanation> & { supervision?: PaneExplanation } =
    options.file !== undefined
      ? await ofFile(context, options, at)
      : options.screen !== undefined
        ? await ofScreen(context, options)
        : await ofSession(context, String(args.id), at)
  const { supervision } = explanation
  const screen = 'reading' in explanation ? (explanation as Explanation) : null
  if (options.json === true || !context.isOutputTty) {
    if (screen) for (const line of explanationLines(screen)) context.json(line)
    if (supervision) for (const line of supervisionLines(supervision)) context.json(line)
  } else {
    if (supervision) for (const line of supervisionText(supervision, context)) context.out(line)
    if (screen) for (const line of explanationText(screen, context)) context.out(line)
  }
  return EXIT.ok
}

async function ofFile(
  context: CommandContext,
  options: CommandInput['options'],
  at: number | null,
): Promise<Explanation> {
  const recorded = await readRecorded(String(options.file), parseSizeOption(options.size))
  const { pack } = await choosePack(
    recorded,
    { agent: optional(options.agent), version: optional(options.agentVersion) },
    packsOf(context),
  )
  return explainRecording(recorded.events, { pack, cols: recorded.cols, rows: recorded.rows, at })
}

async function ofScreen(context: CommandContext, options: CommandInput['options']): Promise<Explanation> {
  const file = String(options.screen)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SignalboxError('E_INPUT', `cannot read ${file}: ${error.code ?? error.message}`, { cause: error })
  })
  const pack = await loadPack(optional(options.agent), packsOf(context), optional(options.agentVersion))
  return explainScreen(frameFromText(text, parseSizeOption(options.size)), pack)
}

async function ofSession(
  context: CommandContext,
  id: string,
  at: number | null,
): Promise<Partial<Explanation> & { supervision?: PaneExplanation }> {
  const { DaemonClient } = await import('../daemon-client.js')
  const client = await DaemonClient.connect(context)
  return client.get<Partial<Explanation> & { supervision?: PaneExplanation }>(
    `/panes/${encodeURIComponent(id)}/explain${at === null ? '' : `?at=${at}`}`,
  )
}

function packsOf(context: CommandContext): string {
  return join(resolveDirectories(context.env, context.env.HOME).config, 'packs')
}

function optional(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
