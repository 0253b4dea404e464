import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { plural } from '../api/format'
import type { GitState } from '../api/types'
import { onEvent } from '../store/live'
import { getJson } from '../transport/request'
import { useLoad } from '../ui/use-load'

/** How often this page has committed or discarded something. */
export const gitChanges = signal(0)

/** This page has committed or discarded something. */
export function noteGitChange(): void {
  gitChanges.value++
}

/**
 * Branch, commit and uncommitted changes of the session's directory; loaded again after every turn
 * and after what this page changes.
 */
export function GitLine({ session }: { session: string }) {
  const { value, reload } = useLoad(`git ${session}`, signal =>
    getJson<GitState>(`/sessions/${session}/git`, { signal }),
  )
  const changed = gitChanges.value
  useEffect(() => {
    if (changed > 0) reload()
  }, [changed, reload])
  useEffect(
    () => onEvent(({ type, subject }) => type === 'turn.closed' && subject === `session/${session}` && reload()),
    [session, reload],
  )
  const git = value?.git
  if (!git) return null
  const open = [
    ...(git.changed > 0 ? [`${plural(git.changed, 'file')} changed`] : []),
    ...(git.untracked > 0 ? [`${git.untracked} new`] : []),
  ]
  return (
    <>
      <span class="mono" title={`Branch, at commit ${git.head?.slice(0, 8) ?? 'none'}`}>
        {git.branch ?? 'detached'}
      </span>
      {open.length > 0 && (
        <a class="link" href={`/s/${session}?view=changes`}>
          {open.join(', ')}
        </a>
      )}
    </>
  )
}
