import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import type { PipelineDoor } from '../../server/index.js'
import type { CommandContext } from '../context.js'

/** A word that no program takes for an option. */
const word = z.string().min(1).max(200).regex(/^[^-]/, 'does not begin with a dash')
const who = {
  agent: word.optional().describe('agent of every role'),
  model: word.optional(),
  profile: word.optional().describe('a profile of the settings'),
}

/**
 * What a page may ask of a pipeline. Less than the command line may: no file of this machine is named, and nothing is approved
 * beforehand.
 */
const INPUTS = {
  implementation: z.strictObject({
    issue: z
      .string()
      .regex(/^(#?\d{1,9}|[A-Z][A-Z0-9]{1,20}-\d{1,9})$/, 'an issue of the tracker: 12, #12 or ABC-12')
      .optional(),
    title: z.string().min(1).max(200).optional().describe('what to do, where there is no issue'),
    description: z.string().max(100_000).optional(),
    base: word.optional().describe('commit or branch to begin at'),
    branch: word.optional(),
    planOnly: z.boolean().optional(),
    ...who,
  }),
  review: z.strictObject({
    range: word.optional().describe('commits, such as main..HEAD; what is not committed where absent'),
    fix: z.boolean().default(false).describe('have the picked items fixed'),
    passes: z.int().min(1).max(10).optional(),
    ...who,
  }),
} as const

type Name = keyof typeof INPUTS

/** Pipelines by their commands: what `signalbox implement` and `signalbox review` do with `--detach`. */
export function serverPipelines(at: (cwd: string) => CommandContext): PipelineDoor {
  return {
    list: async () => {
      const { builtInPipelines } = await import('../../pipelines/index.js')
      return builtInPipelines()
        .listPipelines()
        .filter(({ name }) => name in INPUTS)
        .map(metadata => ({
          ...metadata,
          inputSchema: z.toJSONSchema(INPUTS[metadata.name as Name], { io: 'input' }) as Record<string, unknown>,
        }))
    },
    start: async (name, { input, project, ...wish }) => {
      if (!Object.hasOwn(INPUTS, name))
        throw new SignalboxError('E_UNKNOWN', `there is no pipeline "${name}"`, { next: 'GET /api/v1/pipelines' })
      const parsed = INPUTS[name as Name].safeParse(input)
      if (!parsed.success)
        throw new SignalboxError(
          'E_INPUT',
          parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`).join('; '),
          { next: 'see inputSchema in GET /api/v1/pipelines' },
        )
      return command(name as Name, parsed.data, at(project), wish)
    },
  }
}

async function command(
  name: Name,
  wish: Record<string, unknown>,
  context: CommandContext,
  { person, labels, maxCostUsd, trust }: Omit<Parameters<PipelineDoor['start']>[1], 'input' | 'project'>,
): Promise<string> {
  let made: unknown = null
  const told: CommandContext = {
    ...context,
    json: value => {
      made = value
    },
  }
  const { issue, range, ...rest } = wish
  const options = {
    ...defined({ ...rest, maxCost: maxCostUsd, trust }),
    label: Object.entries(labels).map(([key, value]) => `${key}=${value}`),
    person,
    detach: true,
    isDaemon: true,
    json: true,
    ask: false,
  }
  if (name === 'implementation') {
    const { run } = await import('../commands/implement.js')
    await run(told, { args: { issue: issue as string | undefined }, options, rest: null })
  } else {
    const { run } = await import('../commands/review.js')
    await run(told, { args: { range: range as string | undefined }, options, rest: null })
  }
  return (made as { run: string }).run
}

function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
