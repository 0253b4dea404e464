import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { documentText } from './document-text.js'
import { parseAnswer, type Tracker, type TrackerServices } from './tracker.js'

const VARIABLES = ['JIRA_BASE_URL', 'JIRA_EMAIL', 'JIRA_API_TOKEN'] as const
const ATTEMPTS = 3
const PAUSE_MS = 500

const answer = z.object({
  key: z.string(),
  fields: z.object({
    summary: z.string(),
    description: z.unknown(),
    status: z.object({ name: z.string() }).nullish(),
  }),
})

const commentsAnswer = z.object({ comments: z.array(z.unknown()), total: z.int().default(0) })

/** Jira issues, over HTTP. */
export function jiraTracker(services: TrackerServices): Tracker {
  return {
    name: 'jira',
    async fetch(reference) {
      const key = reference.replace(/^jira:/i, '').toUpperCase()
      const { text, base } = await request(services, 'GET', `/rest/api/3/issue/${encodeURIComponent(key)}`, key)
      const found = parseAnswer(answer, text, `the answer of Jira about ${key}`)
      return {
        issue: {
          id: found.key,
          title: found.fields.summary,
          description: documentText(found.fields.description),
          status: found.fields.status?.name ?? 'unknown',
          url: `${base}/browse/${found.key}`,
        },
        warning: null,
      }
    },
    async comment(issue, marker, text) {
      const path = `/rest/api/3/issue/${encodeURIComponent(issue.id)}/comment`
      if (await hasComment(services, path, issue.id, marker)) return null
      const paragraph = (line: string) => ({ type: 'paragraph', content: [{ type: 'text', text: line }] })
      const body = {
        type: 'doc',
        version: 1,
        content: [...text.split('\n').filter(Boolean).map(paragraph), paragraph(marker)],
      }
      await request(services, 'POST', path, issue.id, { body })
      return issue.url ?? null
    },
  }
}

/** Jira gives comments in pages, of which it may make the size smaller than asked for. */
async function hasComment(services: TrackerServices, path: string, key: string, marker: string): Promise<boolean> {
  for (let startAt = 0; ; ) {
    const { text } = await request(services, 'GET', `${path}?startAt=${startAt}&maxResults=100`, key)
    const page = parseAnswer(commentsAnswer, text, `the comments of ${key}`)
    if (page.comments.some(comment => JSON.stringify(comment).includes(marker))) return true
    startAt += page.comments.length
    if (page.comments.length === 0 || startAt >= page.total) return false
  }
}

async function request(
  services: TrackerServices,
  method: 'GET' | 'POST',
  path: string,
  key: string,
  body?: object,
): Promise<{ text: string; base: string }> {
  const missing = VARIABLES.find(name => !services.env[name])
  if (missing !== undefined)
    throw new SignalboxError('E_CONFIG', `${missing} is not set`, { next: `export ${missing} for Jira` })
  const base = services.env.JIRA_BASE_URL!.replace(/\/+$/, '')
  const sign = Buffer.from(`${services.env.JIRA_EMAIL}:${services.env.JIRA_API_TOKEN}`).toString('base64')
  const headers = { authorization: `Basic ${sign}`, accept: 'application/json', 'content-type': 'application/json' }
  let problem: unknown
  // A comment is not posted twice: only reads are retried.
  const attempts = method === 'GET' ? ATTEMPTS : 1
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const { status, text } = await services.request(`${base}${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      if (status === 401 || status === 403)
        throw new SignalboxError('E_NOT_SIGNED_IN', `Jira refused the login (${status})`, {
          next: 'check JIRA_EMAIL and JIRA_API_TOKEN',
        })
      if (status === 404) throw new SignalboxError('E_UNKNOWN', `unknown Jira issue ${key}`, { next: 'check the key' })
      if (status < 300) return { text, base }
      problem = new Error(`Jira answered ${status}`)
    } catch (error) {
      if (error instanceof SignalboxError) throw error
      problem = error
    }
    if (attempt < attempts) await services.pause(PAUSE_MS * attempt)
  }
  throw new SignalboxError('E_TRACKER', `cannot reach Jira: ${(problem as Error).message}`, {
    next: 'check JIRA_BASE_URL and the network, then try again',
    cause: problem,
  })
}
