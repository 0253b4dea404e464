import type { ComponentChildren, SVGAttributes } from 'preact'

function icon(children: ComponentChildren) {
  return (props: SVGAttributes<SVGSVGElement>) => (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      {...props}
    >
      {children}
    </svg>
  )
}

export const NeedsIcon = icon(<path d="M10 2.8 17.2 10 10 17.2 2.8 10zM10 7v3.6M10 13h.01" />)
export const SessionsIcon = icon(
  <>
    <rect x="2.5" y="3.5" width="15" height="13" rx="2" />
    <path d="m6 8 2.5 2L6 12M10.5 12.5h3.5" />
  </>,
)
export const RunsIcon = icon(
  <>
    <circle cx="4.5" cy="10" r="2" />
    <circle cx="15.5" cy="4.5" r="2" />
    <circle cx="15.5" cy="15.5" r="2" />
    <path d="M6.5 10h2.2c1.6 0 2-5.5 4.8-5.5M8.7 10c1.6 0 2 5.5 4.8 5.5" />
  </>,
)
export const UsageIcon = icon(<path d="M3 17V3M3 17h14M7 14v-4M11 14V6M15 14V9" />)
export const WorkersIcon = icon(
  <>
    <rect x="3" y="3.500" width="14" height="5" rx="1" />
    <rect x="3" y="11.500" width="14" height="5" rx="1" />
    <path d="M6 6h.01M6 14h.01" />
  </>,
)
export const GraphIcon = icon(
  <>
    <rect x="3" y="3" width="5" height="5" rx="1" />
    <rect x="12" y="12" width="5" height="5" rx="1" />
    <path d="M5.5 8v4.5a2 2 0 0 0 2 2H12" />
  </>,
)
export const SettingsIcon = icon(
  <>
    <path d="M3 6h7M14 6h3M3 14h3M10 14h7" />
    <circle cx="12" cy="6" r="2" />
    <circle cx="8" cy="14" r="2" />
  </>,
)
export const PlusIcon = icon(<path d="M10 4v12M4 10h12" />)
export const MinusIcon = icon(<path d="M4 10h12" />)
export const CloseIcon = icon(<path d="m5 5 10 10M15 5 5 15" />)
export const MoreIcon = icon(<path d="M4.5 10h.01M10 10h.01M15.5 10h.01" stroke-width="2.6" />)
export const StopIcon = icon(<rect x="5" y="5" width="10" height="10" rx="1.5" />)
export const PlayIcon = icon(<path d="M6 4.5v11l9-5.5z" />)
export const PauseIcon = icon(<path d="M7 4.5v11M13 4.5v11" />)
export const StepIcon = icon(<path d="M5 4.5v11l8-5.5zM15.5 4.5v11" />)
export const BackIcon = icon(<path d="M15 4.5v11L7 10zM4.5 4.5v11" />)
export const CopyIcon = icon(
  <>
    <rect x="7" y="7" width="10" height="10" rx="2" />
    <path d="M13 4.5V4a1.5 1.5 0 0 0-1.5-1.5H4.500A1.500 1.500 0 0 0 3 4v7.500A1.500 1.500 0 0 0 4.500 13H5" />
  </>,
)
export const ClipIcon = icon(<path d="m8 11.500 4.500-4.500a2.100 2.100 0 0 1 3 3l-6 6a4 4 0 0 1-5.700-5.700l6-6" />)
export const SendIcon = icon(<path d="M10 16V4M5 9l5-5 5 5" />)
export const HelpIcon = icon(
  <>
    <circle cx="10" cy="10" r="7.3" />
    <path d="M7.900 7.800a2.200 2.200 0 1 1 3 2.100c-.6.250-.9.700-.9 1.300M10 13.600h.01" />
  </>,
)
export const SearchIcon = icon(
  <>
    <circle cx="8.700" cy="8.700" r="5.200" />
    <path d="m12.600 12.600 4 4" />
  </>,
)
export const ReplayIcon = icon(
  <path d="M3.500 10a6.500 6.500 0 1 0 2-4.700L3.500 7.200M3.500 3.500v3.700h3.700M10 6.500V10l2.500 1.800" />,
)
export const CompareIcon = icon(
  <>
    <rect x="2.500" y="4" width="6" height="12" rx="1.500" />
    <rect x="11.500" y="4" width="6" height="12" rx="1.500" />
  </>,
)
export const HistoryIcon = icon(
  <path d="M3.500 10a6.500 6.500 0 1 0 2-4.700L3.500 7.200M3.500 3.500v3.700h3.700M10 6.500V10l2.600 1.600" />,
)
export const CheckIcon = icon(<path d="m4.500 10.500 3.700 3.700 7.300-8" />)
export const DownloadIcon = icon(<path d="M10 3.500v9M6 9l4 4 4-4M4 16.500h12" />)

/** The logo: a semaphore signal at warning. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7.500" fill="var(--solid)" />
      <path d="M9.500 26.500V6" stroke="var(--solid-ink)" stroke-width="2.400" stroke-linecap="round" />
      <path d="M9.500 8.200h15l-3 3.300 3 3.300h-15z" fill="#f2b134" />
      <circle cx="9.500" cy="21.300" r="3.100" fill="#3fb27f" />
    </svg>
  )
}
