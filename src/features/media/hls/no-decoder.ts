const INSTALL =
  'npm install --no-save --save-prod --omit=dev --ignore-scripts @napi-rs/webcodecs@1.3.1'

const BRINGS = `\`${INSTALL}\` in the project's folder installs one (docs/VIDEO.md)`

export const NO_DECODER = `no decoder is installed; ${BRINGS}; or set SLIPSTREAM_VIDEO_PREVIEWS=off`
export const NO_ENCODER = `no encoder is installed; ${BRINGS}; or unset SLIPSTREAM_VIDEO_LOWER_QUALITIES`
