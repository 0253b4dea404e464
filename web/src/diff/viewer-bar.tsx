import { plural } from '../api/format'
import { diffLayout, ignoresSpace } from '../store/prefs'
import { Segments } from '../ui/tabs'
import { isPhone } from '../ui/use-width'
import { DiffCount } from './diff-view'
import type { DiffFile } from './unified-diff'
import type { Layout } from './view-rows'

/** The sum of the changes, and how they are shown. */
export function ViewerBar({ files, isCut }: { files: readonly DiffFile[]; isCut: boolean }) {
  return (
    <>
      <span class="small soft grow">
        {plural(files.length, 'file')}{' '}
        <DiffCount
          added={files.reduce((sum, { added }) => sum + added, 0)}
          removed={files.reduce((sum, { removed }) => sum + removed, 0)}
        />
        {isCut && ' · shortened'}
      </span>
      <label class="row small">
        <input
          type="checkbox"
          checked={ignoresSpace.value}
          onChange={event => (ignoresSpace.value = event.currentTarget.checked)}
        />
        Ignore white space
      </label>
      {!isPhone.value && (
        <Segments
          label="Layout"
          value={diffLayout.value}
          choices={[
            { value: 'unified', label: 'Unified' },
            { value: 'split', label: 'Side by side' },
          ]}
          onChange={next => (diffLayout.value = next)}
        />
      )}
    </>
  )
}

/** A phone is too narrow for two sides. */
export function shownLayout(): Layout {
  return isPhone.value ? 'unified' : diffLayout.value
}

export function HiddenFiles({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  return <p class="small">Not shown, because files with these names usually hold credentials: {names.join(', ')}</p>
}

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  jpg: 'jpeg',
  ico: 'x-icon',
  svg: 'svg+xml',
}

/** The bytes of an image with the type that its name says: the server sends none. */
export async function imageBlob(path: string, response: Response): Promise<Blob> {
  const end = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  return new Blob([await response.arrayBuffer()], { type: `image/${IMAGE_TYPES[end] ?? end}` })
}
