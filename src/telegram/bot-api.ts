import { Api, GrammyError, HttpError, InputFile } from 'grammy'
import { SignalboxError } from '../errors/index.js'

/** Why a call failed, in the terms that decide what to do next. */
export class ApiProblem extends Error {
  /** The server's error code; 0 without a readable answer. */
  readonly code: number
  readonly retryAfterMs: number | null
  readonly movedTo: number | null
  /** The request may have been executed: only its answer is missing. */
  readonly isUnclear: boolean

  constructor(
    message: string,
    options: { code: number; retryAfterMs?: number; movedTo?: number; isUnclear?: boolean; cause?: unknown },
  ) {
    super(message, { cause: options.cause })
    this.code = options.code
    this.retryAfterMs = options.retryAfterMs ?? null
    this.movedTo = options.movedTo ?? null
    this.isUnclear = options.isUnclear ?? false
  }
}

export type CallFields = Readonly<Record<string, unknown>>

/** The Bot API as the bot uses it. Every failure is an `ApiProblem`. */
export interface BotApi {
  call<T = unknown>(method: string, fields: CallFields, signal?: AbortSignal): Promise<T>
  download(filePath: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array>
}

/** An API whose calls all end when the signal aborts. */
export function untilAborted(api: BotApi, stopped: AbortSignal): BotApi {
  const either = (signal?: AbortSignal) => (signal ? AbortSignal.any([signal, stopped]) : stopped)
  return {
    call: (method, fields, signal) => api.call(method, fields, either(signal)),
    download: (filePath, maxBytes, signal) => api.download(filePath, maxBytes, either(signal)),
  }
}

/** A file as the value of a field. */
export function fileField(name: string, bytes: Uint8Array): InputFile {
  return new InputFile(bytes, name)
}

/** They change nothing. `getUpdates` is left to its own loop. */
const READS = /^get(?!Updates$)/

/** Repeats a read once: the server may have just closed the connection that was kept open. */
async function again<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof HttpError || error instanceof TypeError)) throw error
    return read()
  }
}

/** Connection errors before the request was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'])

export function openBotApi(options: { token: string; apiRoot: string; timeoutS?: number }): BotApi {
  const api = new Api(options.token, {
    apiRoot: options.apiRoot,
    timeoutSeconds: options.timeoutS ?? 70,
    sensitiveLogs: false,
  })
  const raw = api.raw as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  return {
    async call<T>(method: string, fields: CallFields, signal?: AbortSignal): Promise<T> {
      // Methods without parameters take only the signal.
      const args = Object.keys(fields).length === 0 ? [signal] : [fields, signal]
      const attempt = () => raw[method]!(...args) as Promise<T>
      return (READS.test(method) ? again(attempt) : attempt()).catch(error => {
        throw problemOf(error)
      })
    },
    async download(filePath, maxBytes, signal) {
      const url = `${options.apiRoot}/file/bot${options.token}/${filePath}`
      const response = await again(() => fetch(url, signal ? { signal } : {}))
      if (!response.ok || !response.body)
        throw new ApiProblem('the file could not be downloaded', { code: response.status })
      const chunks: Uint8Array[] = []
      let size = 0
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        size += chunk.length
        if (size > maxBytes) throw new ApiProblem('the file is too large', { code: 413 })
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    },
  }
}

/**
 * Messages of network errors may contain the URL with the bot's token: only their codes are kept.
 */
function problemOf(error: unknown): ApiProblem {
  if (error instanceof GrammyError) {
    const { retry_after, migrate_to_chat_id } = error.parameters
    return new ApiProblem(error.description, {
      code: error.error_code,
      ...(retry_after !== undefined && { retryAfterMs: retry_after * 1000 }),
      ...(migrate_to_chat_id !== undefined && { movedTo: migrate_to_chat_id }),
    })
  }
  const inner = error instanceof HttpError ? error.error : error
  const code =
    inner instanceof Error && 'code' in inner ? String(inner.code) : inner instanceof Error ? inner.name : 'unknown'
  return new ApiProblem(`no answer (${code})`, { code: 0, isUnclear: !NEVER_SENT.has(code) })
}

/** The user name of the bot, without @. @throws SignalboxError `E_CONFIG`, `E_NETWORK` */
export async function botName(api: BotApi): Promise<string> {
  try {
    return (await api.call<{ username: string }>('getMe', {})).username
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.code === 401 || error.code === 404)
      throw new SignalboxError('E_CONFIG', 'Telegram does not accept this token', {
        next: 'copy it again from BotFather',
      })
    throw new SignalboxError('E_NETWORK', `Telegram does not answer: ${error.message}`, { next: 'try again later' })
  }
}
