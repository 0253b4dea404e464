import { z } from 'zod'
import type { KeptExit } from '../../../keeper/index.js'
import type { ClientCall } from '../acp-conversation.js'
import { CLIENT, type RpcError, type RpcMessage } from '../wire.js'
import { CALL_ERROR, CallError } from './call-error.js'
import type { ClientFiles } from './client-files.js'
import type { ClientTerminals } from './client-terminals.js'

interface ClientCallsOptions {
  files: ClientFiles
  terminals: ClientTerminals
  cwd: string
  agentSession(): string | null
  /** The container, sandbox or connection that the agent runs in, which Signalbox did not make. */
  inputWrapper(): string | null
  answer(message: RpcMessage): Promise<void>
  /** Notes in the recording that a call is about to be carried out. */
  begin(call: ClientCall): Promise<void>
  onError(error: unknown): void
}

const count = z.number().int().min(0).nullish()
const PARAMS = {
  [CLIENT.readTextFile]: z.object({ path: z.string(), line: count, limit: count }),
  [CLIENT.writeTextFile]: z.object({ path: z.string(), content: z.string() }),
  [CLIENT.createTerminal]: z.object({
    command: z.string().min(1),
    args: z.array(z.string()).nullish(),
    env: z
      .array(
        z.object({
          // Signalbox's own variables say to whom a process belongs.
          name: z.string().regex(/^(?!SIGNALBOX_)[A-Za-z_]\w*$/, 'not a name of a variable that an agent may set'),
          value: z.string(),
        }),
      )
      .nullish(),
    cwd: z.string().nullish(),
    outputByteLimit: count,
  }),
  terminal: z.object({ terminalId: z.string() }),
}

/** Calls whose repetition changes nothing. */
const REPEATABLE: ReadonlySet<string> = new Set([
  CLIENT.readTextFile,
  CLIENT.terminalOutput,
  CLIENT.waitForExit,
  CLIENT.killTerminal,
])

/**
 * Carries out what an agent asks of its client: files and terminals. Only for an agent without a
 * sandbox, which could do all of it itself.
 *
 * A call is carried out once, also if the daemon dies meanwhile. The recording has the agent's
 * call, a note before it is carried out, and the answer. The next daemon finds calls without an
 * answer: it performs those that were not started, repeats those that change nothing, and finds out
 * about the others. A command that was started is with the keeper; a file that was written has the
 * text. Where it cannot tell, the agent gets an error that says so.
 */
export class ClientCalls {
  readonly #options: ClientCallsOptions
  readonly #inWork = new Set<ClientCall>()

  constructor(options: ClientCallsOptions) {
    this.#options = options
  }

  /** Calls that wait for their answer when the session goes live. */
  takeOver(calls: readonly ClientCall[]): void {
    for (const call of calls) if (!this.#inWork.has(call)) this.serve(call)
  }

  serve(call: ClientCall): void {
    this.#inWork.add(call)
    void this.#serve(call).catch(this.#options.onError)
  }

  async #serve(call: ClientCall): Promise<void> {
    const { answer, agentSession, inputWrapper } = this.#options
    const { rpc: id } = call
    try {
      // While a conversation is opened its id may not be known yet; an agent has one at a time.
      const own = agentSession()
      if (own !== null && call.params.sessionId !== own)
        throw new CallError('invalidParams', `unknown session "${String(call.params.sessionId)}"`)
      const wrapper = inputWrapper()
      if (wrapper !== null)
        throw new CallError(
          'invalidParams',
          `the agent runs in ${wrapper}: Signalbox opens no file and runs no command of this machine for it`,
        )
      await answer({ id, result: await this.#perform(call) })
    } catch (error) {
      await answer({ id, error: errorOf(error) })
    } finally {
      this.#inWork.delete(call)
    }
  }

  async #perform(call: ClientCall): Promise<object> {
    const { files, begin } = this.#options
    const isCut = call.isStarted
    if (!isCut && !REPEATABLE.has(call.method)) await begin(call)
    switch (call.method) {
      case CLIENT.readTextFile: {
        const { path, line, limit } = read(PARAMS[CLIENT.readTextFile], call)
        const part = { ...(line != null && { line }), ...(limit != null && { limit }) }
        return { content: await files.read(path, part) }
      }
      case CLIENT.writeTextFile: {
        const { path, content } = read(PARAMS[CLIENT.writeTextFile], call)
        if (!isCut) await files.write(path, content)
        else if (!(await files.holds(path, content)))
          throw new CallError(
            'internal',
            `Signalbox was restarted while it wrote ${path}, and the file has another text now: read it, then decide`,
          )
        return {}
      }
      case CLIENT.createTerminal:
        return this.#createTerminal(call)
      default:
        return this.#useTerminal(call, read(PARAMS.terminal, call).terminalId)
    }
  }

  /** After a restart the keeper reports whether the command was started. */
  async #createTerminal(call: ClientCall): Promise<object> {
    const { files, terminals, cwd } = this.#options
    const { command, args, env, cwd: wanted } = read(PARAMS[CLIENT.createTerminal], call)
    const directory = await files.directory(wanted ?? cwd)
    await terminals.create(call.terminal!, { command, args: args ?? [], env: env ?? [] }, directory)
    return { terminalId: call.terminal }
  }

  async #useTerminal(call: ClientCall, id: string): Promise<object> {
    const { terminals } = this.#options
    switch (call.method) {
      case CLIENT.terminalOutput: {
        const { output, truncated, exit } = await terminals.output(id)
        return { output, truncated, ...(exit && { exitStatus: statusOf(exit) }) }
      }
      case CLIENT.waitForExit:
        return statusOf(await terminals.exit(id))
      case CLIENT.killTerminal:
        await terminals.kill(id)
        return {}
      default:
        // One that is gone was released before the restart.
        await terminals.release(id).catch(error => {
          if (!call.isStarted || errorOf(error).code !== CALL_ERROR.notFound) throw error
        })
        return {}
    }
  }
}

function read<T>(schema: z.ZodType<T>, { method, params }: ClientCall): T {
  const result = schema.safeParse(params)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new CallError(
    'invalidParams',
    `${method}: ${issue?.path.join('.') ?? 'params'}: ${issue?.message ?? 'invalid'}`,
  )
}

function statusOf({ code, signal }: KeptExit): { exitCode: number | null; signal: string | null } {
  return { exitCode: code, signal }
}

function errorOf(error: unknown): RpcError {
  if (error instanceof CallError) return { code: error.code, message: error.message }
  return { code: CALL_ERROR.internal, message: error instanceof Error ? error.message : String(error) }
}
