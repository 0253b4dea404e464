import type { ZodType } from 'zod'
import { type HeadlessAgent, type HeadlessEnd, loadAgent } from '../agents/index.js'
import { addUsage, type StepCall, type Usage } from '../engine/index.js'
import { soleJsonObject } from '../text/index.js'
import type { NodeContext } from './node.js'
import type { RolePrompt } from './prompts/role-prompts.js'
import { callOf, playRole, type RoleTurn } from './role-turn.js'

export interface Extraction<T> {
  turn: Omit<RoleTurn, 'prompt'>
  schema: ZodType<T>
  jsonSchema: object
  prompt(complaint: string | null): RolePrompt
  /** Attempts whose answer does not count, whatever it was. */
  isSpoiled?(attempt: number): boolean
}

export type Extracted<T> =
  | { value: T; usage: Usage | undefined; sessionId: string | null }
  | { problem: string; usage: Usage | undefined }
  | { died: HeadlessEnd; usage: Usage | undefined }

/**
 * A typed answer from an agent: by a JSON Schema where its program can be held to one, else by reading its last message strictly. An answer that
 * does not fit is asked for once more, in the same conversation, with what was wrong with it. After that there is no answer.
 */
export async function extractStructured<T>(context: NodeContext, wish: Extraction<T>): Promise<Extracted<T>> {
  const earlier = await fromEarlier(context, wish)
  if (earlier !== null) return earlier
  const { agent } = context.args.profile.roles[wish.turn.role]
  const headless = (await loadAgent(agent)).headless
  let usage: Usage | undefined
  let complaint: string | null = null
  let resume = wish.turn.resume ?? null
  for (const ask of ['', '+repair']) {
    const part = `${wish.turn.part ?? ''}${ask}`
    const end = await playRole(context, {
      ...wish.turn,
      prompt: wish.prompt(complaint),
      resume,
      ...(part !== '' && { part }),
      ...(takesSchema(headless) && { schema: wish.jsonSchema }),
    })
    if (end.usage) usage = usage ? addUsage(usage, end.usage) : end.usage
    if (end.status !== 'ok') return { died: end, usage }
    const read = readStructured(end, wish.schema)
    if ('value' in read) return { value: read.value, usage, sessionId: end.sessionId }
    complaint = read.problem
    resume = end.sessionId
  }
  return { problem: complaint ?? 'there is no answer', usage }
}

/** What an attempt before had answered when its host died: nobody is asked twice. What is left of such attempts is ended. */
async function fromEarlier<T>(context: NodeContext, wish: Extraction<T>): Promise<Extracted<T> | null> {
  const { step, services } = context
  for (let attempt = step.attempt - 1; attempt >= 1; attempt--)
    for (const ask of ['+repair', '']) {
      const found = await services.agents.recover(earlierCall(context, `${wish.turn.part ?? ''}${ask}`, attempt))
      if (found.verdict !== 'success' || wish.isSpoiled?.(attempt)) continue
      const read = readStructured({ text: found.text ?? '' }, wish.schema)
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

/** The object in an answer, if it is of the form. No words and no near misses count. */
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
  const said = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`)
  return { problem: said.join('; ') }
}
