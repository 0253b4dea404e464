import type { Context } from 'hono'
import type { z } from 'zod'
import { SignalboxError } from '../errors/index.js'

const BODY_MAX = 1024 * 1024

/** The request's JSON body, checked. Unknown fields are refused: a misspelt one must not be silently ignored. */
export async function readBody<S extends z.ZodType>(context: Context, schema: S): Promise<z.output<S>> {
  const text = await context.req.text()
  if (text.length > BODY_MAX)
    throw new SignalboxError('E_TOO_LARGE', `the body has ${text.length} bytes; at most ${BODY_MAX} are taken`)
  const result = schema.safeParse(parseJson(text))
  if (result.success) return result.data
  throw new SignalboxError(
    'E_INPUT',
    result.error.issues.map(issue => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  )
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch (error) {
    throw new SignalboxError('E_INPUT', 'the body is not JSON', { cause: error })
  }
}
