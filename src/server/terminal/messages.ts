import { z } from 'zod'
import { apiError } from '../schemas/common.js'
import { holder } from '../schemas/sessions.js'

const cols = z.int().min(1).max(2000)
const rows = z.int().min(1).max(2000)

/** What a client sends as text messages; typed bytes are binary messages. */
const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    /**
     * For a browser over TCP: the proof for the path of the upgrade, as for a GET without a body.
     */
    proof: z.string().max(300).optional(),
    want: z.enum(['view', 'input']),
    cols,
    rows,
    /** The name that others see; over TCP the person's own name is used instead. */
    name: z.string().max(80).optional(),
  }),
  z.strictObject({ type: z.literal('take') }),
  z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
  z.strictObject({ type: z.literal('resize'), cols, rows }),
  z.strictObject({ type: z.literal('snapshot') }),
])

export type ViewerMessage = z.output<typeof clientMessage>

/** What the server sends as text messages; the program's output is binary messages. */
const serverMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    cols,
    rows,
    seq: z.int(),
    title: z.string(),
    modes: z.object({ bracketedPaste: z.boolean(), applicationCursor: z.boolean(), alternate: z.boolean() }),
    data: z.string(),
  }),
  z.object({
    type: z.literal('input'),
    holder: z.enum(holder.options.map(option => option.shape.kind.value)),
    isYours: z.boolean(),
    name: z.string().optional(),
  }),
  z.object({ type: z.literal('resize'), cols, rows }),
  z.object({ type: z.literal('exit'), code: z.int().nullable(), signal: z.string().nullable() }),
  z.object({ type: z.literal('error'), error: apiError }),
])

export type ViewerUpdate = z.output<typeof serverMessage>
export type ViewerHello = Extract<ViewerMessage, { type: 'hello' }>

export function parseViewerMessage(text: string): ViewerMessage | null {
  try {
    const parsed = clientMessage.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
