import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignalboxError } from '../errors/index.js'
import { type FixtureSpec, parseFixtureFile } from '../screen/pack/index.js'
import { buildPack, type PackDirectories, packDirectory, readSources } from './pack-files.js'

/** A fixture and the path of its recording. */
export interface PackFixture extends FixtureSpec {
  agent: string
  /** Path of the recording. */
  file: string
  /** The file that lists the fixture. */
  from: string
}

/**
 * The fixtures of an agent: those in its pack files, and those in `fixtures/fixtures.toml` next to
 * them, shipped and own. Recordings are not part of the installed package, so there may be none.
 * @throws SignalboxError `E_PACK` for a fixture whose recording does not exist.
 */
export async function readFixtures(agent: string, directories: PackDirectories): Promise<PackFixture[]> {
  const [shipped, own] = await readSources(agent, directories)
  const roots = [
    packDirectory(agent, directories.shipped),
    ...(directories.user === null ? [] : [packDirectory(agent, directories.user)]),
  ]
  const found: PackFixture[] = []
  for (const root of roots) {
    const folder = join(root, 'fixtures')
    if (!existsSync(folder)) continue
    const inline = [...shipped, ...own]
      .filter(source => source.file.startsWith(root))
      .flatMap(source => fixturesIn(source, shipped).map(fixture => ({ fixture, from: source.file })))
    const file = join(folder, 'fixtures.toml')
    const beside = existsSync(file)
      ? parseFixtureFile({ file, text: await readFile(file, 'utf8') }).map(fixture => ({ fixture, from: file }))
      : []
    for (const { fixture, from } of [...inline, ...beside]) {
      const recording = join(folder, fixture.cast)
      if (!existsSync(recording))
        throw new SignalboxError('E_PACK', `the fixture ${fixture.cast} does not exist`, {
          place: { file: from },
          next: `put it into ${folder}`,
        })
      found.push({ ...fixture, agent, file: recording, from })
    }
  }
  return found
}

/** A person's own file may need the shipped one below it to be complete. */
function fixturesIn(
  source: { file: string; text: string },
  shipped: readonly { file: string; text: string }[],
): FixtureSpec[] {
  if (!/^\s*fixtures\s*=|^\s*\[\[fixtures\]\]/m.test(source.text)) return []
  return shipped.includes(source) ? buildPack([source], [], null).fixtures : buildPack(shipped, [source], null).fixtures
}
