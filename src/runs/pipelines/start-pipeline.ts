import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { Git } from '../../git/index.js'
import { builtInPipelines, finding, type PipelineMetadata } from '../../pipelines/index.js'
import { loadGraph, readGraphFile } from '../graphs/load-graph.js'
import { startGraph } from '../graphs/start-graph.js'
import type { RunOptions, StartContext, StartedRun } from '../start-context.js'
import { projectPipeline, projectPipelines } from './project-pipelines.js'
import { startImplementation } from './start-implementation.js'
import { startPullRequest } from './start-pull-request.js'
import { startReview } from './start-review.js'

/** A word that no program takes for an option. */
const word = z.string().min(1).max(200).regex(/^[^-]/, 'must not start with a dash')
const agents = {
  agent: word.optional().describe('agent of every role'),
  model: word.optional().describe('model of every role, by the name that the agent uses'),
  profile: word.optional().describe('a profile of the settings'),
}

/**
 * What a page or a chat may ask of a pipeline. Less than the command line: no file of this machine
 * can be named, and nothing is approved in advance.
 */
const INPUTS = {
  implementation: z.strictObject({
    issue: z
      .string()
      .regex(/^(#?\d{1,9}|[A-Z][A-Z0-9]{1,20}-\d{1,9})$/, 'must be an issue of the tracker: 12, #12 or ABC-12')
      .optional()
      .describe('from the tracker of the project: 12, #12 or ABC-12'),
    title: z.string().min(1).max(200).optional().describe('what to do, if there is no issue'),
    description: z.string().max(100_000).optional(),
    design: z.string().min(1).max(200_000).optional().describe('text of a design that the plan must follow'),
    plan: z.string().min(1).max(200_000).optional().describe('text of a plan, instead of the Architect’s'),
    opensPull: z.boolean().optional().meta({ title: 'Open a pull request in the end' }),
    base: word.optional().describe('commit or branch to start from'),
    branch: word.optional().describe('name of the new branch; signalbox/… if absent'),
    planOnly: z.boolean().optional().meta({ title: 'Stop when the plan waits for approval' }),
    ...agents,
  }),
  pull_request: z.strictObject({
    run: word.optional().describe('the run whose branch gets a pull request'),
    branch: word.optional().describe('a branch that gets a pull request; HEAD: the one that is checked out'),
    pull: z
      .string()
      .regex(/^(#?\d{1,9}|https:\/\/\S{1,500})$/, 'must be the number or address of a pull request')
      .optional()
      .describe('a pull request that exists'),
    draft: z.boolean().optional().meta({ title: 'Open it as a draft' }),
    follow: z.enum(['no', 'green', 'merged']).optional().meta({ title: 'Follow it until' }),
    ...agents,
  }),
  review: z.strictObject({
    range: word.optional().describe('commits, such as main..HEAD; uncommitted changes if absent'),
    run: word.optional().describe('the run whose branch is reviewed'),
    findings: z.array(finding).max(50).optional().describe('what you found: the first review of the run'),
    fix: z.boolean().default(false).meta({ title: 'Fix the items that you select' }),
    passes: z.int().min(1).max(10).optional().describe('how often it is reviewed again after fixes'),
    ...agents,
  }),
} as const

type PipelineName = keyof typeof INPUTS

type ListedPipeline = PipelineMetadata & { inputSchema: Record<string, unknown> }

/**
 * The pipelines that can be started by name, with the JSON schema of their input: those that ship,
 * and those that the project registers. A pipeline of a project cannot replace one that ships.
 */
export async function listPipelines(project: string | null = null): Promise<ListedPipeline[]> {
  const shipped = shippedPipelines()
  const own = project === null ? [] : projectPipelines(await rootOf(project))
  const added = own
    .filter(({ name }) => !shipped.some(pipeline => pipeline.name === name))
    .map(({ name, displayName, description, inputs }) => {
      const inputSchema = z.toJSONSchema(inputOf(inputs), { io: 'input' }) as Record<string, unknown>
      return { name, displayName, description, inputSchema }
    })
  return [...shipped, ...added]
}

/** Every input that the graph declares is required. */
function inputOf(inputs: readonly string[]) {
  const declared = Object.fromEntries(inputs.map(name => [name, z.string().min(1).max(100_000)]))
  return z.strictObject({ ...declared, agent: agents.agent, model: agents.model })
}

async function rootOf(project: string): Promise<string> {
  return (await new Git(project).root()) ?? project
}

function shippedPipelines(): ListedPipeline[] {
  return builtInPipelines()
    .listPipelines()
    .filter(({ name }) => Object.hasOwn(INPUTS, name))
    .map(metadata => ({
      ...metadata,
      inputSchema: z.toJSONSchema(INPUTS[metadata.name as PipelineName], { io: 'input' }) as Record<string, unknown>,
    }))
}

/**
 * Starts a pipeline by name, with input from a page or a chat; the daemon drives it.
 * @throws SignalboxError `E_UNKNOWN`, `E_INPUT`, `E_CONFIG`, `E_AGENT_MISSING`,
 * `E_PROGRAM_MISSING`, `E_NOT_SIGNED_IN`, `E_UNTRUSTED`
 */
export async function startPipeline(
  context: StartContext,
  name: string,
  input: unknown,
  options: RunOptions,
): Promise<StartedRun> {
  const common = { ...options, isDetached: true, isUnattended: true }
  switch (name) {
    case 'implementation':
      return startImplementation(context, { ...parseInput(INPUTS.implementation, input), ...common })
    case 'pull_request':
      return startPullRequest(context, { ...parseInput(INPUTS.pull_request, input), ...common })
    case 'review':
      return startReview(context, { ...parseInput(INPUTS.review, input), ...common })
    default:
      return startProjectPipeline(context, name, input, options)
  }
}

/** A graph of the project, which needs trust like every other file of it that is run. */
async function startProjectPipeline(
  context: StartContext,
  name: string,
  input: unknown,
  options: RunOptions,
): Promise<StartedRun> {
  const found = projectPipeline(await rootOf(context.cwd), name)
  if (!found)
    throw new SignalboxError('E_UNKNOWN', `there is no pipeline "${name}"`, {
      next: 'GET /api/v1/pipelines lists them; a project registers its own in .signalbox/pipelines/<name>.dot',
    })
  const given = parseInput(inputOf(found.inputs), input)
  const { agent, model, ...inputs } = given as Record<string, string | undefined>
  const loaded = await loadGraph(context, readGraphFile(context.cwd, found.file), {
    agent: agent ?? context.home.loaded.config.oneshot.agent,
  })
  const labels = { ...options.labels, registered: name }
  return startGraph(context, loaded, {
    ...options,
    labels,
    inputs: inputs as Record<string, string>,
    agent,
    model,
    isDetached: true,
  })
}

function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw new SignalboxError(
    'E_INPUT',
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`).join('; '),
    { next: 'see inputSchema in GET /api/v1/pipelines' },
  )
}
