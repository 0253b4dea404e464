import type { ZodType } from 'zod'
import { type HeadlessAgent, type HeadlessEnd, loadAgent } from '../agents/index.js'
import { addUsage, type StepCall, type Usage } from '../engine/index.js'
import { soleJsonObject } from '../text/index.js'
import type { NodeContext } from './node.js'
import type { RolePrompt } from './prompts/role-prompts.js'
import { callOf, playerOf, playRole, type RoleTurn } from './role-turn.js'

export interface Extraction<T> {
  turn: Omit<RoleTurn, 'prompt'>
  schema: ZodType<T>
  jsonSchema: object
  prompt(problem: string | null): RolePrompt
  /** Whether the answer of this attempt is void, whatever it was. */
  isVoid?(attempt: number): boolean
}

export type Extracted<T> =
  | { value: T; usage: Usage | undefined; sessionId: string | null }
  | { problem: string; usage: Usage | undefined }
  | { died: HeadlessEnd; usage: Usage | undefined }

/**
 * Gets a typed answer from an agent: with a JSON Schema if its program supports one, else by
 * parsing its last message strictly. An invalid answer is requested once again, in the same
 * conversation, with the reason. After that, there is no answer.
 */
export async function extractStructured<T>(context: NodeContext, extraction: Extraction<T>): Promise<Extracted<T>> {
  const earlier = await fromEarlier(context, extraction)
  if (earlier !== null) return earlier
  const { agent } = playerOf(context, extraction.turn.role)
  const headless = (await loadAgent(agent)).headless
  let usage: Usage | undefined
  let problem: string | null = null
  let resume = extraction.turn.resume ?? null
  for (const ask of ['', '+repair']) {
    const part = `${extraction.turn.part ?? ''}${ask}`
    const end = await playRole(context, {
      ...extraction.turn,
      prompt: extraction.prompt(problem),
      resume,
      ...(part !== '' && { part }),
      ...(takesSchema(headless) && { schema: extraction.jsonSchema }),
    })
    if (end.usage) usage = usage ? addUsage(usage, end.usage) : end.usage
    if (end.status !== 'ok') return { died: end, usage }
    const read = readStructured(end, extraction.schema)
    if ('value' in read) return { value: read.value, usage, sessionId: end.sessionId }
    problem = read.problem
    resume = end.sessionId
  }
  return { problem: problem ?? 'there was no answer', usage }
}

/** Reuses an earlier attempt's answer, so that no agent is asked twice; ends its rest. */
async function fromEarlier<T>(context: NodeContext, extraction: Extraction<T>): Promise<Extracted<T> | null> {
  const { step, services } = context
  for (let attempt = step.attempt - 1; attempt >= 1; attempt--)
    for (const ask of ['+repair', '']) {
      const found = await services.agents.recover(earlierCall(context, `${extraction.turn.part ?? ''}${ask}`, attempt))
      if (found.verdict !== 'success' || extraction.isVoid?.(attempt)) continue
      const read = readStructured({ text: found.text ?? '' }, extraction.schema)
      if ('value' in read) return { value: read.value, usage: found.usage, sessionId: found.sessionId ?? null }
    }
  return null
}

function earlierCall(context: NodeContext, part: string, attempt: number): StepCall {
  const call = callOf(context, part === '' ? undefined : part)
  const step = call.step.replace(/#\d+$/, `#${attempt}`)
  return { ...call, step, name: `${call.run}/${step}` }
}

function takesSchema(headless: HeadlessAgent | undefined): boolean {
  return headless?.takesSchema === true
}

/** Parses the object in an answer, if it has the right form. Prose and near misses do not count. */
export function readStructured<T>(
  { text, structured }: Pick<HeadlessEnd, 'text'> & { structured?: unknown },
  schema: ZodType<T>,
): { value: T } | { problem: string } {
  let value: unknown = structured
  if (value === undefined || value === null) {
    const found = soleJsonObject(text)
    if ('problem' in found) return found
    value = found.value
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return { value: parsed.data }
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`)
  return { problem: problems.join('; ') }
}
