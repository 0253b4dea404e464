import { existsSync, lstatSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'

/**
 * Removes the file with which an agent in a sandbox could give the project's repository another
 * configuration: git outside would start what it names. It cannot be made read-only, because it
 * does not exist, and git itself never writes it there.
 */
export function guardRepository(project: string, onError: (error: unknown) => void): () => void {
  const repository = join(project, '.git')
  if (!existsSync(repository) || !lstatSync(repository).isDirectory()) return () => undefined
  const file = join(repository, 'commondir')
  const isOurs = !existsSync(file)
  const remove = () => {
    if (!isOurs || !existsSync(file)) return
    rmSync(file, { recursive: true, force: true })
    onError(
      new SignalboxError('E_GIT', `removed ${file}: a program in a sandbox wrote it`, {
        next: 'git would have taken its configuration, with programs to start, from there',
      }),
    )
  }
  const watcher = watch(repository, { persistent: false }, (_, name) => {
    if (name === null || name === 'commondir') remove()
  })
  watcher.on('error', onError)
  return () => {
    watcher.close()
    remove()
  }
}
