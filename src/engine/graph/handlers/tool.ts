import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../clock/index.js'
import { newEvent } from '../../../events/index.js'
import { AttributeReader, NODE_ATTRIBUTES, valueText } from '../../../graph/index.js'
import { runStepCommand } from '../../../process/index.js'
import type { StepOutput } from '../../step-output.js'
import type { Performer, Recovery, SandboxOfStep, StepCall, StepEnd } from '../../workflow.js'
import type { NodeOutcome } from '../graph-run.js'
import { type GraphStep, graphStep } from '../graph-step.js'

export interface ToolStepsOptions {
  clock: Clock
  environment(cwd: string): Record<string, string>
  stepDirectory(call: StepCall): string
  /** Where the log of the run finds what the command prints. */
  output?(call: StepCall): StepOutput
  /** Puts the command into the sandbox of its run. */
  inSandbox?: SandboxOfStep | undefined
}

const TIMEOUT_MS = 300_000
const OUTPUT_MAX = 64 * 1024

/**
 * Runs the command of a tool node: shell text by definition, passed as one argument with nothing
 * interpolated.
 */
export class ToolSteps implements Performer {
  readonly #options: ToolStepsOptions

  constructor(options: ToolStepsOptions) {
    this.#options = options
  }

  async run(call: StepCall): Promise<StepEnd> {
    const step = graphStep(call)
    const read = new AttributeReader(step.node.attributes, NODE_ATTRIBUTES)
    const command = read.text('tool_command')
    if (command === null)
      return ended({ status: 'fail', failure_reason: 'the node has no command', failure_class: 'structural' })
    if (step.answer === 'done') return ended({ status: 'success', notes: 'a person confirmed that it was done' })
    if (step.answer === 'fail') return ended(interrupted())
    const timeoutMs = read.durationMs('timeout') ?? TIMEOUT_MS
    const stdin = this.#stdin(call, step)
    const output = this.#options.output?.(call)
    try {
      const env = { ...this.#options.environment(step.cwd), ...variables(step.context), ...ownVariables(read) }
      const { clock } = this.#options
      const done = await runStepCommand('/bin/sh', ['-c', command], {
        cwd: step.cwd,
        env,
        mark: call.name,
        stdin,
        signal: call.signal,
        timeoutMs,
        maxBytes: OUTPUT_MAX,
        clock,
        inSandbox: this.#options.inSandbox && (program => this.#options.inSandbox!(call, program)),
        onSpawned: ({ pid, processStart }) =>
          call.record(newEvent('step.spawned', { step: call.step, pid, processStart })),
        ...(output && { onOutput: (from: 'stdout' | 'stderr', bytes: Uint8Array) => output.add(from, bytes) }),
      })
      return ended(outcomeOf({ ...done, timeoutMs }))
    } finally {
      closeSync(stdin)
      await output?.close()
    }
  }

  /**
   * A command has no transcript: started without an end means that it ran at least partly. `rerun`
   * decides what to do.
   */
  async recover(call: StepCall): Promise<Recovery> {
    const { node } = graphStep(call)
    const rerun = new AttributeReader(node.attributes, NODE_ATTRIBUTES).text('rerun') ?? 'always'
    const evidence = [{ source: 'step', says: 'the command started, and its end was not observed' }]
    if (rerun === 'always') return { verdict: 'nothing', evidence }
    if (rerun === 'never') return { verdict: 'success', evidence, result: interrupted() }
    const question = {
      text: `The command of "${node.id}" started, and its end was not observed. Run it again?`,
      options: [
        { key: 'again', label: 'Run it again' },
        { key: 'done', label: 'It was done' },
        { key: 'fail', label: 'Mark it as failed' },
      ],
    }
    return { verdict: 'success', evidence, result: { status: 'retry', question } satisfies NodeOutcome }
  }

  #stdin(call: StepCall, { context }: GraphStep): number {
    const directory = this.#options.stepDirectory(call)
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const file = join(directory, 'context.json')
    writeFileSync(file, JSON.stringify(context), { mode: 0o600 })
    return openSync(file, 'r')
  }
}

function interrupted(): NodeOutcome {
  return { status: 'fail', failure_reason: 'interrupted command', failure_class: 'deterministic' }
}

/** `tool_env`: `NAME=value` pairs, one per line or separated by semicolons. */
function ownVariables(read: AttributeReader): Record<string, string> {
  const pairs = (read.text('tool_env') ?? '').split(/[;\n]/).flatMap(pair => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    return at > 0 && /^[A-Za-z_]\w*$/.test(name) ? [[name, pair.slice(at + 1).trim()] as const] : []
  })
  return Object.fromEntries(pairs)
}

function outcomeOf(end: {
  code: number | null
  signal: string | null
  isTimedOut: boolean
  stdout: string
  stderr: string
  timeoutMs: number
}): NodeOutcome {
  const updates = { 'tool.output': end.stdout, 'tool.stderr': end.stderr, 'tool.exit_code': end.code ?? -1 }
  if (end.isTimedOut)
    return {
      status: 'fail',
      failure_reason: `the command ran longer than ${end.timeoutMs / 1000} s`,
      failure_class: 'timeout',
      context_updates: updates,
    }
  if (end.code === 0) return { status: 'success', context_updates: updates, response: end.stdout }
  const how = end.signal ? `was killed by ${end.signal}` : `exited with code ${end.code}`
  const lastLine = end.stderr.trim().split('\n').at(-1)
  return {
    status: 'fail',
    failure_reason: `the command ${how}${lastLine ? `: ${lastLine.slice(0, 300)}` : ''}`,
    failure_class: 'unknown',
    context_updates: updates,
    response: end.stdout,
  }
}

/** Context values as environment variables, as far as an environment can hold them. */
function variables(context: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(context).flatMap(([key, value]) => {
    const text = valueText(value)
    return text.length > 32_000 || text.includes('\0')
      ? []
      : [[`SIGNALBOX_CTX_${key.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`, text] as const]
  })
  return Object.fromEntries(entries)
}

function ended(outcome: NodeOutcome): StepEnd {
  return { status: 'ok', result: outcome }
}
