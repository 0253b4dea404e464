/** The sections of a change log that are newer than a version, without unreleased ones. */
export function changesSince(changeLog: string, version: string): string {
  const sections = changeLog.split(/^(?=## )/m).filter(section => /^## \[?v?\d/.test(section))
  const isNewer = (section: string) => {
    const [, found = ''] = /^## \[?v?([\w.-]+)/.exec(section) ?? []
    return version.localeCompare(found, 'en', { numeric: true }) < 0
  }
  return sections.filter(isNewer).join('').trim()
}
