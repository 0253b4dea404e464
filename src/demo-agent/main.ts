#!/usr/bin/env node
import { exitCodeOf, toSignalboxError } from '../errors/index.js'
import { HELP, parseCommand } from './args.js'
import { VERSION } from './open-session.js'
import { runAcp } from './run-acp.js'
import { runHeadless } from './run-headless.js'
import { runInteractive } from './run-interactive.js'
import { writeSampleProject } from './sample-project.js'
import { BUILT_IN } from './scenarios/index.js'

async function main(): Promise<void> {
  const command = parseCommand(process.argv.slice(2), process.env)
  if (command.name === 'help') process.stdout.write(HELP)
  else if (command.name === 'version') process.stdout.write(`signalbox-demo ${VERSION}\n`)
  else if (command.name === 'scenarios')
    process.stdout.write(
      BUILT_IN.map(scenario => `${scenario.name.padEnd(10)} ${scenario.description ?? ''}\n`).join(''),
    )
  else if (command.name === 'sample') writeSampleProject(command.directory)
  else if (command.options.isAcp) await runAcp(command.options)
  else if (command.options.isHeadless) await runHeadless(command.options)
  else await runInteractive(command.options)
}

main().catch((thrown: unknown) => {
  const error = toSignalboxError(thrown)
  process.stderr.write(`${error.message}\n${error.next ? `${error.next}\n` : ''}`)
  process.exit(exitCodeOf(error))
})
