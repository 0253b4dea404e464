import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { parseAnswer, type Tracker, type TrackerServices } from './tracker.js'

const DEFAULT_URL = 'https://api.linear.app/graphql'
const ATTEMPTS = 3
const PAUSE_MS = 500
/** Too many calls: status 400, and this code among the `extensions` of an error. */
const RATE_LIMITED = /"code"\s*:\s*"RATELIMITED"/

const ISSUE = `query Issue($id: String!) {
  issue(id: $id) { id identifier title description url state { name type } }
}`
const COMMENTS = `query Comments($id: String!, $after: String) {
  issue(id: $id) { id comments(first: 100, after: $after) { nodes { body } pageInfo { hasNextPage endCursor } } }
}`
const CREATE = `mutation CommentCreate($input: CommentCreateInput!) {
  commentCreate(input: $input) { success comment { url } }
}`

const answer = z.object({
  data: z.unknown().optional(),
  errors: z
    .array(z.object({ message: z.string(), extensions: z.object({ type: z.string().optional() }).optional() }))
    .optional(),
})
const issueData = z.object({
  issue: z.object({
    identifier: z.string(),
    title: z.string(),
    description: z.string().nullish(),
    url: z.string(),
    state: z.object({ name: z.string(), type: z.string() }).nullish(),
  }),
})
const commentsData = z.object({
  issue: z.object({
    id: z.string(),
    comments: z.object({
      nodes: z.array(z.object({ body: z.string() })),
      pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
    }),
  }),
})
const createdData = z.object({
  commentCreate: z.object({ success: z.boolean(), comment: z.object({ url: z.string() }).nullish() }),
})

/** Linear issues, over its GraphQL API, with the key in LINEAR_API_KEY. */
export function linearTracker(services: TrackerServices): Tracker {
  return {
    name: 'linear',
    async fetch(reference) {
      const id = keyOf(reference)
      const { issue } = parseData(issueData, await ask(services, ISSUE, { id }, id), id)
      const isDone = issue.state?.type === 'completed' || issue.state?.type === 'canceled'
      return {
        issue: {
          id: issue.identifier,
          title: issue.title,
          description: issue.description ?? '',
          status: issue.state?.name ?? 'unknown',
          url: issue.url,
        },
        warning: isDone ? `issue ${issue.identifier} is ${issue.state!.name}` : null,
      }
    },
    async comment({ id, url }, marker, text) {
      let issueId = ''
      for (let after: string | null = null; ; ) {
        const page: unknown = await ask(services, COMMENTS, { id, after }, id)
        const { issue }: z.infer<typeof commentsData> = parseData(commentsData, page, id)
        if (issue.comments.nodes.some(({ body }) => body.includes(marker))) return null
        issueId = issue.id
        const { hasNextPage, endCursor } = issue.comments.pageInfo
        if (!hasNextPage || !endCursor) break
        after = endCursor
      }
      // Linear shows HTML comments as text: the marker is a line of its own.
      const input = { issueId, body: `${text}\n\n_${marker}_` }
      const { commentCreate } = parseData(createdData, await ask(services, CREATE, { input }, id), id)
      if (!commentCreate.success) throw new SignalboxError('E_TRACKER', `Linear refused the comment on ${id}`)
      return commentCreate.comment?.url ?? url ?? null
    },
  }
}

function keyOf(reference: string): string {
  const key = /(?:^linear:|^|\/issue\/)([A-Za-z][A-Za-z0-9]*-\d+)(?:[/?#].*)?$/i.exec(reference)?.[1]
  if (key !== undefined) return key.toUpperCase()
  throw new SignalboxError('E_INPUT', `"${reference}" is not a Linear issue`, {
    next: 'use linear:KEY-1, or the URL of the issue',
  })
}

function parseData<T>(schema: z.ZodType<T>, data: unknown, key: string): T {
  return parseAnswer(schema, JSON.stringify(data), `the answer of Linear about ${key}`)
}

async function ask(services: TrackerServices, query: string, variables: object, key: string): Promise<unknown> {
  const token = services.env.LINEAR_API_KEY
  if (!token)
    throw new SignalboxError('E_CONFIG', 'LINEAR_API_KEY is not set', { next: 'export LINEAR_API_KEY for Linear' })
  const url = services.env.LINEAR_API_URL ?? DEFAULT_URL
  const isRead = query.startsWith('query')
  let problem = ''
  // A comment is not posted twice: only reads are retried.
  for (let attempt = 1; attempt <= (isRead ? ATTEMPTS : 1); attempt++) {
    if (attempt > 1) await services.pause(PAUSE_MS * attempt)
    try {
      const { status, text } = await services.request(url, {
        method: 'POST',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      if (status === 401 || status === 403)
        throw new SignalboxError('E_NOT_SIGNED_IN', `Linear refused the key (${status})`, {
          next: 'check LINEAR_API_KEY',
        })
      if (status < 500 && status !== 429 && !RATE_LIMITED.test(text)) return dataOf(text, key)
      problem = RATE_LIMITED.test(text) ? 'its rate limit is reached' : `Linear answered ${status}`
    } catch (error) {
      if (error instanceof SignalboxError) throw error
      problem = (error as Error).message
    }
  }
  throw new SignalboxError('E_TRACKER', `cannot reach Linear: ${problem}`, {
    next: 'check the network, then try again',
  })
}

/** Linear answers errors of a query with status 200 or 400, and says which in the body. */
function dataOf(text: string, key: string): unknown {
  const { data, errors } = parseAnswer(answer, text, 'the answer of Linear')
  const [first] = errors ?? []
  if (!first) return data
  const isUnknown = /not found/i.test(first.message)
  const isLogin = first.extensions?.type === 'authentication error'
  if (isLogin)
    throw new SignalboxError('E_NOT_SIGNED_IN', `Linear refused the key: ${first.message}`, {
      next: 'check LINEAR_API_KEY',
    })
  throw new SignalboxError(
    isUnknown ? 'E_UNKNOWN' : 'E_TRACKER',
    isUnknown ? `unknown Linear issue ${key}` : `Linear failed for ${key}: ${first.message}`,
    { next: isUnknown ? 'check the key' : 'try again; nothing was started' },
  )
}
