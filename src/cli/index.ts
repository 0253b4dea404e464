/*
 * The command line. A command parses its options, calls a room below or the daemon's API, and
 * prints; it decides nothing.
 *
 *   specs/<group>-commands.ts    every command as data: arguments, options, help, examples
 *   commands/<name>.ts           its `run` function, loaded when the command runs
 *   main.ts, parse-options.ts    from argv to the command; errors and exit codes
 *   daemon-client.ts             the HTTP API, as a client
 *   cockpit/                     the full-screen cockpit: `signalbox` alone
 *   approvals/ attach/ runs/ sessions/ watch/ replay/ demo/ export/ packs/ service/ upgrade/
 *   cluster/                     what commands of one topic share
 *   completion/                  what fits at a tab, and the scripts of the shells that ask
 *   relay/                       the program that agents' hooks start: small, starts fast
 *
 * To add a command: docs/extending.md.
 */

export { main } from './main.js'
