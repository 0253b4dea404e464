import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { SignalboxError } from '../../errors/index.js'
import { slugOf } from '../plan/plan-path.js'
import { fileTracker } from './file.js'
import { githubTracker } from './github.js'
import { gitlabTracker } from './gitlab.js'
import { jiraTracker } from './jira.js'
import { linearTracker } from './linear.js'
import type { FetchedIssue, Tracker, TrackerServices } from './tracker.js'

export interface IssueRequest {
  /** As typed: a path, a number, a key or a URL. */
  reference: string | null
  title: string | null
  description: string | null
  tracker: Tracker['name'] | null
}

type Reading = { name: Exclude<Tracker['name'], 'noop'>; description: string }

/**
 * Fetches the requested issue. @throws SignalboxError `E_INPUT` if the reference is ambiguous or
 * matches nothing.
 */
export async function fetchIssue(
  services: TrackerServices,
  request: IssueRequest,
): Promise<FetchedIssue & { tracker: string }> {
  if (request.reference === null) return { ...titled(request), tracker: 'noop' }
  if (request.title !== null)
    throw new SignalboxError('E_INPUT', 'give an issue or a --title, not both', { next: 'remove one of them' })
  const name = chooseTracker(services, request.reference, request.tracker)
  return { ...(await makeTracker(services, name).fetch(request.reference)), tracker: name }
}

const MAKERS: Readonly<Record<string, (services: TrackerServices) => Tracker>> = {
  github: githubTracker,
  gitlab: gitlabTracker,
  jira: jiraTracker,
  linear: linearTracker,
}

export function makeTracker(services: TrackerServices, name: string): Tracker {
  const make = MAKERS[name]
  return make ? make(services) : fileTracker(services.cwd)
}

export function chooseTracker(
  services: TrackerServices,
  reference: string,
  wanted: Tracker['name'] | null,
): Reading['name'] {
  if (/^gh:/i.test(reference)) return 'github'
  if (/^gl:/i.test(reference)) return 'gitlab'
  if (/^jira:/i.test(reference)) return 'jira'
  if (/^linear:|^https:\/\/linear\.app\//i.test(reference)) return 'linear'
  if (GITLAB_URL.test(reference)) return 'gitlab'
  const readings = readingsOf(services, reference, wanted)
  const preferred = readings.find(({ name }) => name === wanted)
  if (preferred) return preferred.name
  const [only] = readings
  if (readings.length === 1) return only!.name
  if (readings.length > 1)
    throw new SignalboxError(
      'E_INPUT',
      `"${reference}" is ambiguous: ${readings.map(({ description }) => description).join(' or ')}`,
      {
        next: 'use gh:…, gl:…, jira:…, linear:…, or ./… for a file',
      },
    )
  const isKey = /^[A-Z][A-Z0-9]+-\d+$/.test(reference)
  throw new SignalboxError(
    'E_INPUT',
    `there is no file "${reference}", and it is not an issue of a tracker${isKey ? ': neither JIRA_BASE_URL nor LINEAR_API_KEY is set' : ''}`,
    {
      next: 'give a file, gh:12, gl:12, jira:KEY-1, linear:KEY-1, or --title "what to do"',
    },
  )
}

/** Other forges have no `/-/` in their addresses; an instance may have any name. */
const GITLAB_URL = /^https:\/\/(?:gitlab\.com\/.+\/issues|[^/]+\/.+\/-\/(?:issues|work_items))\/\d+/

function readingsOf({ env, cwd }: TrackerServices, reference: string, wanted: Tracker['name'] | null): Reading[] {
  const readings: Reading[] = []
  if (existsSync(resolve(cwd, reference))) readings.push({ name: 'file', description: 'a file' })
  if (/^#?\d+$/.test(reference) || /^https:\/\/[^/]+\/[^/]+\/[^/]+\/issues\/\d+/.test(reference))
    readings.push({ name: 'github', description: 'an issue on GitHub' })
  if (/^#?\d+$/.test(reference) && wanted === 'gitlab')
    readings.push({ name: 'gitlab', description: 'an issue on GitLab' })
  if (/^[A-Z][A-Z0-9]+-\d+$/.test(reference) && env.JIRA_BASE_URL)
    readings.push({ name: 'jira', description: 'an issue in Jira' })
  if (/^[A-Z][A-Z0-9]*-\d+$/.test(reference) && env.LINEAR_API_KEY)
    readings.push({ name: 'linear', description: 'an issue in Linear' })
  return readings
}

function titled({ title, description }: IssueRequest): FetchedIssue {
  if (title === null || title.trim() === '')
    throw new SignalboxError('E_INPUT', 'no issue was given', {
      next: 'signalbox implement issue.md, or --title "what to do"',
    })
  return {
    issue: { id: slugOf(title), title: title.trim(), description: description ?? '', status: 'open' },
    warning: null,
  }
}
