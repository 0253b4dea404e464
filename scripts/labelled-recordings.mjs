// What the evaluation scripts share: their options, and the recordings of a directory that have
// labels.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './setup.mjs'

/** Takes `--flags` and `--options value` out of the arguments; the directories remain in `args`. */
export function readArguments(args = process.argv.slice(2)) {
  const flag = name => {
    const at = args.indexOf(name)
    if (at >= 0) args.splice(at, 1)
    return at >= 0
  }
  const option = name => {
    const at = args.indexOf(name)
    return at < 0 ? null : args.splice(at, 2)[1]
  }
  return { args, flag, option }
}

/** The directory of labelled recordings outside the repository, if there is one. */
export function corpusDirectory() {
  const directory = process.env.SIGNALBOX_CORPUS ?? join(root, '..', 'shared', 'corpus')
  return existsSync(directory) ? [directory] : []
}

/** Ends the script if there is nothing to evaluate: an empty table would look like a result. */
export function needDirectories(directories, script) {
  if (directories.length > 0) return
  console.error(`name a directory of recordings: npm run ${script} -- <dir>…`)
  process.exit(2)
}

export function* recordings(directory) {
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name)
    if (statSync(path).isDirectory()) yield* recordings(path)
    else if (name.endsWith('.cast') && existsSync(path.replace(/\.cast$/, '.json'))) yield path
  }
}

/** The agent whose screens a recording shows, by its folder; null for a shell. */
export function agentOf(cast) {
  const folder = basename(dirname(cast)) === 'fixtures' ? basename(dirname(dirname(cast))) : basename(dirname(cast))
  return folder === 'shell' || folder === 'generic' ? null : folder.replace(/-[\d.]+$/, '')
}
