import type { ProfileCopy } from '../args.js'
import type { PullComment, PullView } from '../forges/forge.js'
import type { PullItem, PullState } from '../state.js'
import { answeredKeys, isOwn } from './acts.js'

const BODY_MAX = 8_000

/** What a pull request asks for that is not answered, in the order of checks, threads, comments. */
export function newItems(
  { checks, threads, comments, head }: PullView,
  { settled }: Pick<PullState, 'settled'>,
  policy: Pick<ProfileCopy['pull'], 'people' | 'bots'>,
): PullItem[] {
  const bodies = [...threads.flatMap(thread => thread.comments), ...comments].map(({ body }) => body)
  const done = new Set([...settled, ...answeredKeys(bodies)])
  const isWanted = ({ isBot, body }: PullComment) => !isOwn(body) && policy[isBot ? 'bots' : 'people'] !== 'ignore'
  const found: Omit<PullItem, 'number'>[] = [
    ...checks
      .filter(({ state }) => state === 'failed')
      .map(({ name }) => ({
        ...NOTHING,
        key: `k:${slug(name)}:${head}`,
        kind: 'check' as const,
        author: name,
        file: name,
        body: '',
      })),
    ...threads.flatMap(({ id, isResolved, path, line, comments: said }) => {
      const last = said.at(-1)
      if (isResolved || !last || !isWanted(last)) return []
      // Names of authors matter once there are several.
      const body =
        said.length === 1 ? last.body : said.map(comment => `${comment.author}: ${comment.body}`).join('\n\n')
      return [
        {
          ...NOTHING,
          ...by(last),
          key: `t:${id}:${last.id}`,
          kind: 'thread' as const,
          thread: id,
          file: path,
          line,
          body,
        },
      ]
    }),
    ...comments.filter(isWanted).map(comment => ({
      ...NOTHING,
      ...by(comment),
      key: `c:${comment.id}`,
      kind: 'comment' as const,
      body: comment.body,
    })),
  ]
  return found
    .filter(({ key }) => !done.has(key))
    .map((item, index) => ({ ...item, body: item.body.slice(-BODY_MAX), number: index + 1 }))
}

const NOTHING = { thread: null, is_bot: true, file: '', line: null, verdict: null, reason: '', reply: '' }

function by({ author, isBot }: PullComment) {
  return { author, is_bot: isBot }
}

/** A key is written into a comment: it has no blanks. */
function slug(name: string): string {
  return name.replace(/[^\w.-]+/g, '-')
}
