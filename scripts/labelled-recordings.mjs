// What the evaluation scripts share: their options, and the recordings of a directory that have labels beside them.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Takes `--flags` and `--options value` out of the arguments; what is left in `args` are the directories. */
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

/** Ends the script with what is missing: a table of nothing would look like a result. */
export function needDirectories(directories, script) {
  if (directories.length > 0) return
  console.error(`no directory of recordings was named: npm run ${script} -- <dir>…`)
  process.exit(2)
}

export function* recordings(directory) {
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name)
    if (statSync(path).isDirectory()) yield* recordings(path)
    else if (name.endsWith('.cast') && existsSync(path.replace(/\.cast$/, '.json'))) yield path
  }
}
