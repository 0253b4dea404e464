import { z } from 'zod'
import { SignalboxError } from '../../errors/index.js'
import { notStarted } from '../forges/forge.js'
import { parseAnswer, type Tracker, type TrackerServices } from './tracker.js'

const issueAnswer = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullable(),
  state: z.string(),
  url: z.string(),
})

const pullAnswer = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullable(),
  baseRefName: z.string(),
  headRefName: z.string(),
  headRefOid: z.string(),
  url: z.string(),
})
export type PullRequest = z.infer<typeof pullAnswer>

/** GitHub issues, through the `gh` program and its login. */
export function githubTracker(services: TrackerServices): Tracker {
  return {
    name: 'github',
    async fetch(reference) {
      const number = numberOf(reference)
      await requireSignIn(services)
      const args = ['issue', 'view', number, '--json', 'number,title,body,state,labels,url']
      const text = await gh(services, args, `issue ${number}`)
      const found = parseAnswer(issueAnswer, text, `the answer of gh about issue ${number}`)
      const isClosed = found.state.toUpperCase() === 'CLOSED'
      return {
        issue: {
          id: String(found.number),
          title: found.title,
          description: found.body ?? '',
          status: found.state.toLowerCase(),
          url: found.url,
        },
        warning: isClosed ? `issue ${number} is closed` : null,
      }
    },
    async comment(issue, marker, text) {
      const known = await gh(services, ['issue', 'view', issue.id, '--json', 'comments'], `issue ${issue.id}`)
      if (known.includes(marker)) return null
      return (
        await gh(
          services,
          ['issue', 'comment', issue.id, '--body', `${text}\n\n<!-- ${marker} -->`],
          `issue ${issue.id}`,
        )
      ).trim()
    },
  }
}

export async function fetchPullRequest(services: TrackerServices, number: string): Promise<PullRequest> {
  await requireSignIn(services)
  const fields = 'number,title,body,baseRefName,headRefName,headRefOid,url'
  const text = await gh(services, ['pr', 'view', number, '--json', fields], `pull request ${number}`)
  return parseAnswer(pullAnswer, text, `the answer of gh about pull request ${number}`)
}

function numberOf(reference: string): string {
  const match = /(?:^gh:#?|^#|^|\/issues\/)(\d+)(?:[/?#].*)?$/.exec(reference)
  if (match) return match[1]!
  throw new SignalboxError('E_INPUT', `"${reference}" is not a GitHub issue`, {
    next: 'use gh:12, or the URL of the issue',
  })
}

async function requireSignIn(services: TrackerServices): Promise<void> {
  const { code, stderr } = await run(services, ['auth', 'status'])
  if (code === 0) return
  throw new SignalboxError('E_NOT_SIGNED_IN', `gh is not signed in: ${stderr.trim().split('\n')[0] ?? ''}`, {
    next: 'gh auth login',
  })
}

async function gh(services: TrackerServices, args: readonly string[], what: string): Promise<string> {
  const { code, stdout, stderr } = await run(services, args)
  if (code === 0) return stdout
  const message = stderr.trim().split('\n')[0] ?? ''
  const isMissing = /not found|could not resolve|no (issues|pull requests) found/i.test(message)
  throw new SignalboxError(
    isMissing ? 'E_UNKNOWN' : 'E_TRACKER',
    `${isMissing ? 'gh did not find' : 'gh failed for'} ${what}: ${message}`,
    {
      next: isMissing ? 'check the number, and which repository you are in' : 'try again; nothing was started',
    },
  )
}

async function run(services: TrackerServices, args: readonly string[]) {
  try {
    return await services.run('gh', args)
  } catch (error) {
    throw new SignalboxError('E_PROGRAM_MISSING', notStarted('gh', error), {
      next: 'install the GitHub CLI (https://cli.github.com), or give the issue as a file',
      cause: error,
    })
  }
}
