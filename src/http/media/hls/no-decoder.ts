// Log messages for operators whose videos get no previews or no lower qualities.

const INSTALL =
  'npm install --no-save --save-prod --omit=dev --ignore-scripts @napi-rs/webcodecs@1.3.1'

const BRINGS = `\`${INSTALL}\` in the project's folder brings one (docs/VIDEO.md)`

export const NO_DECODER = `no decoder is installed; ${BRINGS}, SLIPSTREAM_VIDEO_PREVIEWS=off does without`
export const NO_ENCODER = `no encoder is installed; ${BRINGS}, without SLIPSTREAM_VIDEO_LOWER_QUALITIES none is needed`
