import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPack } from '../../agents/packs/index.js'
import { resolveDirectories } from '../../config/directories/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { openHome } from '../../host/home/index.js'
import type { Explanation as ApiExplanation, InMilliseconds } from '../../server/index.js'
import { isProtocolRecording } from '../../sessions/acp/index.js'
import { type Explanation, explainRecording, explainScreen } from '../../sessions/replay/index.js'
import { frameFromText } from '../../terminal/index.js'
import type { CommandContext } from '../context.js'
import { parseSize } from '../parse-options.js'
import { explanationLines, explanationText, supervisionLines, supervisionText } from '../replay/explain-text.js'
import { choosePack, parseNumbers, readRecorded } from '../replay/recorded.js'
import type { InputOf } from '../specs/index.js'

type Options = InputOf<'explain'>['options']
/** A pane has both, a recording and a screen only the explanation. */
type PaneExplained = InMilliseconds<ApiExplanation>

export async function run(context: CommandContext, { args, options }: InputOf<'explain'>): Promise<number> {
  const sources = [args.id, options.file, options.screen].filter(source => source !== undefined)
  if (sources.length !== 1)
    throw new SignalboxError('E_INPUT', 'explain needs exactly one source', {
      next: 'a session, --file with a recording, or --screen with a text file',
    })
  const times = parseNumbers(options.at, 'time')
  if (times && times.length > 1)
    throw new SignalboxError('E_INPUT', 'explain takes one time', {
      next: 'signalbox replay --at … --explain takes several',
    })
  const at = times?.[0] ?? null
  const explanation: PaneExplained =
    options.file !== undefined
      ? await explainFile(context, options.file, options, at)
      : options.screen !== undefined
        ? await explainText(context, options.screen, options)
        : await explainPane(context, args.id!, at)
  const { supervision } = explanation
  const screen = 'reading' in explanation ? explanation : null
  if (options.json || !context.isOutputTty) {
    if (screen) for (const line of explanationLines(screen)) context.json(line)
    if (supervision) for (const line of supervisionLines(supervision)) context.json(line)
  } else {
    if (supervision) for (const line of supervisionText(supervision, context)) context.out(line)
    if (screen) for (const line of explanationText(screen, context)) context.out(line)
  }
  return EXIT.ok
}

async function explainFile(
  context: CommandContext,
  file: string,
  options: Options,
  at: number | null,
): Promise<Explanation> {
  const recorded = await readRecorded(file, parseSize(options.size))
  if (isProtocolRecording(recorded.events))
    throw new SignalboxError('E_INPUT', `${file} has messages of a protocol, and no screen`, {
      next: `signalbox replay ${file} prints what each message said`,
    })
  const named = { agent: options.agent ?? null, version: options.agentVersion ?? null }
  const { pack } = await choosePack(recorded, named, packsOf(context))
  return explainRecording(recorded.events, {
    pack,
    cols: recorded.cols,
    rows: recorded.rows,
    at,
    settings: openHome(context).loaded.config,
  })
}

async function explainText(context: CommandContext, file: string, options: Options): Promise<Explanation> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SignalboxError('E_INPUT', `cannot read ${file}: ${error.code ?? error.message}`, { cause: error })
  })
  const pack = await loadPack(options.agent ?? null, packsOf(context), options.agentVersion ?? null)
  return explainScreen(frameFromText(text, parseSize(options.size)), pack)
}

async function explainPane(context: CommandContext, id: string, at: number | null): Promise<PaneExplained> {
  const { DaemonClient } = await import('../daemon-client.js')
  const client = await DaemonClient.connect(context)
  return client.get<ApiExplanation>(`/panes/${encodeURIComponent(id)}/explain${at === null ? '' : `?at=${at}`}`)
}

function packsOf(context: CommandContext): string {
  return join(resolveDirectories(context.env, context.env.HOME).config, 'packs')
}
