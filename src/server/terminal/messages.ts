import { z } from 'zod'

const cols = z.int().min(1).max(2000)
const rows = z.int().min(1).max(2000)

/** What a terminal says, as text frames; bytes that are typed come as binary ones. */
export const clientMessage = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    /** Over TCP from a browser: the proof of the upgrade's own path, as of a GET without a body. */
    proof: z.string().max(300).optional(),
    want: z.enum(['view', 'input']),
    cols,
    rows,
    /** Who this is, for the others; over TCP the person's own name counts. */
    name: z.string().max(80).optional(),
  }),
  z.strictObject({ type: z.literal('take') }),
  z.strictObject({ type: z.literal('ack'), bytes: z.int().min(0) }),
  z.strictObject({ type: z.literal('resize'), cols, rows }),
  z.strictObject({ type: z.literal('snapshot') }),
])

export type ClientMessage = z.output<typeof clientMessage>
export type Hello = Extract<ClientMessage, { type: 'hello' }>

export function parseMessage(text: string): ClientMessage | null {
  try {
    const parsed = clientMessage.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}
