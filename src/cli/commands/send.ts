import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { newId, systemClock } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Health, Sent, Session } from '../../server/index.js'
import { visibleText } from '../../text/index.js'
import type { CommandContext } from '../context.js'
import { DaemonClient } from '../daemon-client.js'
import { parseSeconds } from '../parse-options.js'
import { followTurn } from '../sessions/follow-turn.js'
import { noteRead } from '../sessions/note-read.js'
import { sessionPath } from '../sessions/session-path.js'
import type { InputOf } from '../specs/index.js'

const RESULT_TEXT: Readonly<Record<string, string>> = {
  delivered: 'delivered to',
  queued: 'queued by the agent in',
  held: 'held until the agent is idle in',
}

export async function run(context: CommandContext, { args, options }: InputOf<'send'>): Promise<number> {
  // A single word is the prompt; with --file it is the session.
  const isPrompt = args.text === undefined && options.file === undefined
  const id = isPrompt ? undefined : args.id
  const text = readPrompt(context, isPrompt ? args.id : args.text, options.file)
  const timeoutMs = parseSeconds('--timeout', options.timeout)
  if (text === '') throw new SignalboxError('E_INPUT', 'the prompt is empty', { next: 'give a text' })
  const client = await DaemonClient.connect(context)
  if (id === undefined) await refuseSessionName(client, text)
  const session = await client.get<Session>(await sessionPath(client, id))
  const { position } = await client.get<Health>('/health')
  const prompt = newId('msg')
  const sent = await postPrompt(context, client, `/sessions/${session.id}/messages`, {
    id: prompt,
    text,
    whenBusy: options.queue === undefined ? 'queue' : options.queue ? 'hold' : 'refuse',
    meaning: options.as ?? 'auto',
    clearDraft: options.clearDraft === true,
  })
  if (sent.result === 'refused' || sent.result === 'unconfirmed') {
    if (options.json) context.json(sent)
    else context.note(`signalbox: not delivered: ${sent.detail ?? sent.result}`)
    return sent.reason === 'menu' ? EXIT.needsHuman : EXIT.failed
  }
  if (!options.wait) {
    if (options.json) context.json(sent)
    else context.out(resultText(sent, session))
    return EXIT.ok
  }
  if (sent.result !== 'delivered') context.note(`signalbox: ${resultText(sent, session)}`)
  const deadline = timeoutMs === null ? null : systemClock.monotonic() + timeoutMs
  const code = await followTurn(context, client, session.id, {
    since: position,
    deadline,
    isJson: options.json === true,
    prompt: { id: sent.prompt ?? prompt, result: sent.result },
  })
  if (code !== EXIT.needsHuman && code !== EXIT.timeout) await noteRead(context, client, `/panes/${session.id}`)
  return code
}

function resultText(sent: Sent, { number, label, title }: Pick<Session, 'number' | 'label' | 'title'>): string {
  const name = visibleText(label ?? title ?? '')
  if (sent.detail === undefined) return `${RESULT_TEXT[sent.result]} #${number}${name === '' ? '' : ` ${name}`}`
  return `held: ${sent.detail} To raise it: signalbox budget ${number} <usd>`
}

/** The name of a session alone is not a prompt: the text was forgotten. */
async function refuseSessionName(client: DaemonClient, text: string): Promise<void> {
  if (!/^[\w-]+$/.test(text)) return
  const found = await client.get<Session>(`/sessions/${text}`).catch(() => null)
  if (!found) return
  throw new SignalboxError('E_INPUT', `the prompt is missing: ${text} is a session`, {
    next: `signalbox send ${text} "…"; to send the word itself, name the session before it`,
  })
}

/** If the daemon dies in between, the next one knows the prompt by its id. */
async function postPrompt(context: CommandContext, client: DaemonClient, path: string, body: object): Promise<Sent> {
  try {
    return await client.post<Sent>(path, body)
  } catch (error) {
    if (!(error instanceof SignalboxError && error.code === 'E_DAEMON_GONE')) throw error
    return (await DaemonClient.connect(context)).post<Sent>(path, body)
  }
}

function readPrompt(context: CommandContext, text: string | undefined, file: string | undefined): string {
  if (file !== undefined) {
    if (text !== undefined)
      throw new SignalboxError('E_INPUT', 'the prompt is given twice', { next: 'use either text or --file' })
    try {
      return readFileSync(resolve(context.cwd, file), 'utf8')
    } catch (error) {
      throw new SignalboxError('E_INPUT', `cannot read ${file}`, { next: 'give an existing file', cause: error })
    }
  }
  if (text === undefined)
    throw new SignalboxError('E_INPUT', 'the prompt is missing', {
      next: 'give a text, - for standard input, or --file',
    })
  return text === '-' ? readFileSync(0, 'utf8') : text
}
