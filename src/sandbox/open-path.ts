import { execFile } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/*
 * Shows a path in a sandbox that runs.
 *
 * A mount cannot cross from the person's view of the file system into that of a sandbox: the source
 * has to be visible where `mount` runs. So a sandbox is started in two steps. `unshare` makes a
 * user and a mount namespace that still show everything (the outer namespaces), with a shared
 * directory in them; bubblewrap starts there and takes that directory along. A mount on the shared
 * directory outside also appears in the sandbox, and is then mounted at its path. The process of
 * bubblewrap that waits for the program keeps the outer namespaces alive; no program of the agent
 * runs in them. The person's processes may enter both, because they made them.
 */

/** The directory that both sides share, below the session's directory. */
export const SHARED_DIRECTORY = 'open'

/**
 * Prepares the outer namespaces if the first argument is a directory, opens the filter of system
 * calls if the second is a file, and then executes the remaining arguments.
 */
export const LAUNCH_SCRIPT = `if [ -n "$1" ]; then
  mount -t tmpfs -o size=64k,mode=755 signalbox "$1" && mount --make-shared "$1" || exit 126
fi
[ -z "$2" ] || exec 9<"$2"
shift 2
exec "$@"`

/** Read-only from the first moment: the copy that is passed on is made so before. */
const OUTER_SCRIPT = `set -e
shared=$1 path=$2 access=$3 inside=$4 script=$5
if [ -d "$path" ]; then mkdir -p "$shared/path"; else : > "$shared/path"; fi
if [ "$access" = read ]; then
  options=$(findmnt -n -o VFS-OPTIONS -T "$path")
  mount --rbind "$path" "$path"
  mount -o "remount,bind,$options,ro" "$path"
fi
mount --rbind "$path" "$shared/path"
code=0
nsenter --mount --target "$inside" sh -c "$script" sh "$shared" "$path" || code=$?
umount -l "$shared/path"
[ "$access" = write ] || umount -l "$path"
rm -rf "$shared/path"
exit $code`

const INNER_SCRIPT = `set -e
if [ ! -e "$2" ]; then
  if [ -d "$1/path" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; : > "$2"; fi
fi
mount --rbind "$1/path" "$2"`

/** Only the empty file or directory that was made for the mount remains. */
const CLOSE_SCRIPT = `umount -l "$1" || exit 1
if [ -d "$1" ]; then rmdir "$1"; elif [ ! -s "$1" ]; then rm -f "$1"; fi 2> /dev/null
exit 0`

export interface OpenedPath {
  path: string
  access: 'read' | 'write'
}

const run = promisify(execFile)
const TIMEOUT_MS = 10_000

/**
 * @param pid the process of the session: bubblewrap in the outer namespaces.
 * @param directory the session's directory.
 * @throws Error with what the system said.
 */
export async function openPath(pid: number, directory: string, { path, access }: OpenedPath): Promise<void> {
  // A link that appeared since a person was asked would lead elsewhere.
  if (realpathSync(path) !== path) throw new Error(`${path} is a link by now`)
  const shared = join(directory, SHARED_DIRECTORY)
  await enter(pid, [OUTER_SCRIPT, 'sh', shared, path, access, String(insideOf(pid)), INNER_SCRIPT])
}

/** Hides a path again that `openPath` has shown. Files that are open stay open. */
export async function closePath(pid: number, path: string): Promise<void> {
  // `umount` reads /proc/self, and the sandbox's /proc shows only the sandbox's own processes.
  const script = 'exec nsenter --mount --pid --target "$1" sh -c "$2" sh "$3"'
  await enter(pid, [script, 'sh', String(insideOf(pid)), CLOSE_SCRIPT, path])
}

async function enter(pid: number, command: readonly string[]): Promise<void> {
  const args = ['--user', '--mount', '--preserve-credentials', '--target', String(pid), 'sh', '-c', ...command]
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  await run('nsenter', args, { cwd: '/', env, timeout: TIMEOUT_MS }).catch(error => {
    const [said = ''] = String((error as { stderr?: string }).stderr ?? '').split('\n')
    throw new Error(said || String((error as Error).message), { cause: error })
  })
}

/** The first process in the sandbox. */
function insideOf(pid: number): number {
  const [inside] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  if (!inside) throw new Error('the sandbox has ended')
  return Number(inside)
}
