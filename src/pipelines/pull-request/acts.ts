import { z } from 'zod'
import type { GateQuestion } from '../../engine/index.js'
import { plural } from '../../text/index.js'

/*
 * Actions of a run outside this machine. All acts of one moment are one request in the ledger: a
 * person sees every text before it is sent, and what is sent is what the request says.
 */

const act = z.discriminatedUnion('act', [
  z.object({ act: z.literal('push'), commit: z.string(), branch: z.string(), commits: z.int(), to: z.string() }),
  z.object({
    act: z.literal('open'),
    title: z.string(),
    body: z.string(),
    base: z.string(),
    branch: z.string(),
    isDraft: z.boolean(),
    labels: z.array(z.string()),
    reviewers: z.array(z.string()),
  }),
  z.object({
    act: z.literal('comment'),
    thread: z.string().nullable(),
    key: z.string(),
    place: z.string(),
    body: z.string(),
  }),
  z.object({ act: z.literal('resolve'), thread: z.string(), place: z.string() }),
  z.object({ act: z.literal('merge'), head: z.string(), method: z.enum(['merge', 'squash', 'rebase']) }),
])
export type Act = z.infer<typeof act>

/** The payload of the request; `gate` distinguishes it from other gates of pipelines. */
export const actsPayload = z.object({
  gate: z.literal('acts'),
  pull: z.object({ url: z.string(), number: z.int() }).nullable(),
  acts: z.array(act),
})
type ActsPayload = z.infer<typeof actsPayload>

const NEVER_AUTO = 'a merge is decided by a person, each time'

export function actsQuestion(payload: ActsPayload, allowed: readonly string[]): GateQuestion {
  const { acts, pull } = payload
  const kinds = [...new Set(acts.map(({ act: kind }) => kind))].sort()
  const isMerge = kinds.includes('merge')
  const where = pull === null ? '' : ` (#${pull.number})`
  return {
    kind: 'permission',
    title: `${sentence(acts)}${where}`.slice(0, 200),
    text: [...(pull === null ? [] : [pull.url, '']), acts.map(describe).join('\n\n')].join('\n'),
    input: { ...payload },
    permission: {
      tool: isMerge ? 'merge-pull-request' : 'publish-pull-request',
      // A grant covers the same kinds of acts on the same pull request or branch.
      same: { kinds, pull: pull?.url ?? null },
      risk: isMerge ? 'changes the base branch' : 'publishes',
      ...(isMerge && { neverAuto: NEVER_AUTO }),
    },
    options: [
      { key: 'allow', label: isMerge ? 'Merge it' : 'Do it', meaning: 'allow-once' },
      { key: 'deny', label: 'Do not', meaning: 'deny' },
    ],
    ...(!isMerge && kinds.every(kind => allowed.includes(kind)) && { automatic: { option: 'allow' } }),
  }
}

function sentence(acts: readonly Act[]): string {
  const count = (kind: Act['act']) => acts.filter(({ act: one }) => one === kind).length
  const parts = [
    count('push') > 0 && 'push',
    count('open') > 0 && 'open a pull request',
    count('comment') > 0 && `post ${plural(count('comment'), 'comment')}`,
    count('resolve') > 0 && `resolve ${plural(count('resolve'), 'thread')}`,
    count('merge') > 0 && 'merge',
  ].filter(part => part !== false)
  const text = parts.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function describe(one: Act): string {
  switch (one.act) {
    case 'push':
      return `Push ${plural(one.commits, 'commit')} to ${one.branch} at ${one.to}: ${one.commit.slice(0, 12)}`
    case 'open': {
      const more = [
        ...(one.labels.length > 0 ? [`labels: ${one.labels.join(', ')}`] : []),
        ...(one.reviewers.length > 0 ? [`reviewers: ${one.reviewers.join(', ')}`] : []),
      ]
      return [
        `Open a ${one.isDraft ? 'draft ' : ''}pull request from ${one.branch} to ${one.base}`,
        ...more,
        '',
        one.title,
        '',
        one.body,
      ].join('\n')
    }
    case 'comment':
      return `Comment ${one.place}\n${one.body}`
    case 'resolve':
      return `Resolve the thread ${one.place}`
    case 'merge':
      return `Merge (${one.method}) at ${one.head.slice(0, 12)}`
  }
}

/** The invisible line by which a comment of Signalbox is found again. */
export function markerOf(run: string, key: string): string {
  return `<!-- signalbox ${run} ${key} -->`
}

/** Whether Signalbox wrote a comment, in any run. */
export function isOwn(body: string): boolean {
  return /<!-- signalbox run_\w+ \S+ -->/.test(body)
}

/** The keys that comments of Signalbox answer, by any run. */
export function answeredKeys(bodies: readonly string[]): Set<string> {
  return new Set(bodies.flatMap(body => [...body.matchAll(/<!-- signalbox run_\w+ (\S+) -->/g)].map(([, key]) => key!)))
}
