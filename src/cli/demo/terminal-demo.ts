import { mkdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type ApprovalRecord, denyingOption } from '../../approvals/index.js'
import { delay, newNonce } from '../../clock/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import type { Host, LiveUpdate } from '../../host/index.js'
import { ownProgram, runCommand } from '../../process/index.js'
import type { Block } from '../../screen/index.js'
import type { LiveSession, SessionRecord } from '../../sessions/index.js'
import type { StoredEvent } from '../../store/index.js'
import { plural } from '../../text/index.js'
import { approvalLines } from '../approvals/approval-info.js'
import { askLine } from '../ask.js'
import type { CommandContext } from '../context.js'
import { BlockStream } from '../sessions/block-stream.js'

const READY_MS = 30_000
const PROMPT = 'The tests fail. Find out why and fix it.'

const EXIT_BY_OUTCOME: Readonly<Record<string, number>> = {
  done: EXIT.ok,
  denied: EXIT.rejected,
  interrupted: EXIT.interrupted,
}

export interface TerminalDemoOptions {
  directory: string
  speed: number
  /** Every request is approved without asking. */
  isAutomatic: boolean
  isJson: boolean
}

/** One scripted turn in this terminal, from the prompt to the summary, in half a minute. */
export class TerminalDemo {
  readonly #context: CommandContext
  readonly #host: Host
  readonly #options: TerminalDemoOptions
  readonly #project: string
  readonly #stream: BlockStream
  readonly #events: StoredEvent[] = []
  #isOver = false
  #wake: () => void = () => undefined
  #outcome = 'unfinished'

  constructor(context: CommandContext, host: Host, options: TerminalDemoOptions) {
    this.#context = context
    this.#host = host
    this.#options = options
    this.#project = join(options.directory, 'project')
    this.#stream = new BlockStream(context)
  }

  async run(): Promise<number> {
    const { style } = this.#context
    this.#print(
      style('bold', 'Signalbox demo') + style('dim', '  a scripted agent in a real terminal; no key, no network'),
    )
    await this.#makeProject()
    const stop = this.#listen()
    const record = await this.#start()
    const session = (await this.#host.whenTerminal(record.id))!
    await this.#prompt(session)
    await this.#follow(session)
    stop()
    await this.#end(session)
    await this.#summary(record)
    return EXIT_BY_OUTCOME[this.#outcome] ?? EXIT.failed
  }

  #print(line: string): void {
    if (!this.#options.isJson) this.#context.out(line)
  }

  async #makeProject(): Promise<void> {
    mkdirSync(this.#project, { recursive: true })
    const made = await runCommand(process.execPath, [demoAgentScript(), '--sample-project', this.#project], {
      cwd: this.#options.directory,
    })
    if (made.code !== 0) throw new SignalboxError('E_DEMO', `cannot create the sample project: ${made.stderr.trim()}`)
    this.#print(this.#context.style('dim', `a small git project with a failing test: ${this.#project}`))
  }

  async #start(): Promise<SessionRecord> {
    const { env, columns } = this.#context
    const terminal = Object.fromEntries(
      Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    return this.#host.startSession({
      agent: 'demo',
      args: ['--scenario', 'tour', '--speed', String(this.#options.speed)],
      cwd: this.#project,
      terminal: { ...terminal, SIGNALBOX_DEMO_HOME: join(this.#options.directory, 'agent') },
      size: { cols: Math.max(60, Math.min(columns, 120)), rows: 40 },
      person: 'local',
      label: 'demo',
      resume: null,
    })
  }

  async #prompt(session: LiveSession): Promise<void> {
    await this.#until(session, READY_MS, () => session.observation?.composer != null)
    this.#print(`\n${this.#context.style('inverse', ` ${PROMPT} `)}\n`)
    const sent = await session.send(PROMPT)
    if (sent.result !== 'delivered')
      throw new SignalboxError(
        'E_DEMO',
        `the prompt was not delivered: ${'detail' in sent ? sent.detail : sent.result}`,
      )
  }

  #listen(): () => void {
    const unlisten = this.#host.bus.listen((update: LiveUpdate) => {
      if (update.type === 'message.update' && !this.#options.isJson)
        this.#stream.update(update.message, update.blocks as Block[])
    })
    const subscription = this.#host.store.subscribe({ after: 0 }, events => {
      for (const event of events) this.#onEvent(event)
    })
    return () => {
      unlisten()
      subscription.close()
    }
  }

  #onEvent(event: StoredEvent): void {
    this.#events.push(event)
    if (this.#options.isJson)
      this.#context.json({ type: event.type, at: event.at, subject: event.stream, data: event.data })
    else if (event.type === 'message.final')
      this.#stream.finish(String(event.data.message), event.data.blocks as Block[])
    if (event.type === 'turn.closed') {
      this.#outcome = String(event.data.outcome)
      this.#isOver = true
    }
    if (event.type === 'session.ended') this.#isOver = true
    this.#wake()
  }

  /** Until the turn ends; requests are shown and answered. */
  async #follow(session: LiveSession): Promise<void> {
    const answered = new Set<string>()
    while (!this.#isOver) {
      const approval = session.approval
      if (approval?.state === 'pending' && !answered.has(approval.id)) {
        answered.add(approval.id)
        await this.#answer(approval)
        continue
      }
      const changed = new Promise<void>(resolve => {
        this.#wake = resolve
      })
      await Promise.race([changed, session.changed(1000)])
    }
  }

  async #answer(approval: ApprovalRecord): Promise<void> {
    const { style } = this.#context
    this.#stream.pause()
    this.#print(`
${style('yellow', '● The agent asks for permission')}`)
    for (const line of approvalLines(approval, this.#context, { indent: 2 })) this.#print(line)
    const isAllowed = await this.#ask()
    const { options } = approval.request
    const option = isAllowed ? options.find(({ meaning }) => meaning === 'allow-once') : denyingOption(options)
    if (!option) throw new SignalboxError('E_DEMO', `the request has no option to ${isAllowed ? 'allow' : 'deny'} it`)
    await this.#host.ledger.decide(approval.id, {
      fingerprint: approval.fingerprint,
      option: option.key,
      seen: { displayHash: approval.display.hash, whole: true },
      actor: { kind: 'person', id: 'local', name: userInfo().username, role: 'owner' },
      surface: 'cli',
      idempotencyKey: newNonce(),
    })
    this.#print(style('green', `  decided: ${option.label}`))
  }

  async #ask(): Promise<boolean> {
    if (this.#options.isAutomatic) {
      await delay(this.#host.clock, this.#options.speed === 0 ? 0 : 1000 / this.#options.speed)
      return true
    }
    for (;;) {
      const answer = (await askLine('  allow once? [y/n] ')).trim().toLowerCase()
      if (/^(y|yes|a)$/.test(answer)) return true
      if (/^(n|no|d)$/.test(answer)) return false
    }
  }

  async #end(session: LiveSession): Promise<void> {
    for (const key of session.pack.input.exit) {
      await session.press(key).catch(() => undefined)
      await delay(this.#host.clock, 50)
    }
    await this.#until(session, 5_000, () => session.exit !== null)
    if (!session.exit) await this.#host.keeper.signal(session.id, 'SIGKILL').catch(() => undefined)
    await session.effectsDone()
  }

  async #summary(record: SessionRecord): Promise<void> {
    const { style } = this.#context
    const diff = await runCommand(
      'git',
      ['-c', 'core.pager=cat', '--no-pager', 'diff', '--no-ext-diff', '--no-textconv'],
      { cwd: this.#project },
    )
    const counts = new Map<string, number>()
    for (const event of await this.#host.store.readAll({ after: 0, limit: 10_000 }))
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
    if (this.#options.isJson) {
      this.#context.json({
        type: 'summary',
        outcome: this.#outcome,
        events: Object.fromEntries(counts),
        diff: diff.stdout,
        recording: record.recording,
        project: this.#project,
        store: join(this.#host.settings.dataDirectory, 'signalbox.db'),
      })
      return
    }
    this.#print(`\n${style('bold', 'What happened')}`)
    this.#print(`  ${summaryOfLog(counts)}`)
    this.#print(`\n${style('bold', 'What changed')}`)
    for (const line of diff.stdout.trimEnd().split('\n'))
      this.#print(`  ${line.startsWith('+') ? style('green', line) : line.startsWith('-') ? style('red', line) : line}`)
    this.#print(`\n${style('bold', 'Where it is')}`)
    this.#print(`  recording  ${record.recording}`)
    this.#print(`  events     ${join(this.#host.settings.dataDirectory, 'signalbox.db')}`)
    this.#print(`  project    ${this.#project}`)
    this.#print(style('dim', '\nNext: signalbox start demo --attach · signalbox --help'))
  }

  async #until(session: LiveSession, ms: number, holds: () => boolean): Promise<void> {
    const deadline = this.#host.clock.monotonic() + ms
    while (!holds() && this.#host.clock.monotonic() < deadline)
      await session.changed(Math.max(1, deadline - this.#host.clock.monotonic()))
  }
}

function demoAgentScript(): string {
  return ownProgram('demo-agent/main')
}

/** A summary of the log, in one line: `1 prompt · 7 messages · 1 request, applied · 42 events`. */
function summaryOfLog(counts: ReadonlyMap<string, number>): string {
  const of = (type: string) => counts.get(type) ?? 0
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const applied = of('approval.applied') > 0 ? ', applied' : ''
  return [
    plural(of('turn.opened'), 'prompt'),
    plural(of('message.final'), 'message'),
    `${plural(of('approval.requested'), 'request')}${applied}`,
    `${plural(all, 'event')} in the log`,
  ].join(' · ')
}
