// wrangler.toml puts this in the place of @peculiar/x509, which is 23 KiB of the compressed bundle: @simplewebauthn/server checks
// certificates of authenticators with it. Statements about authenticators are not asked for, and one with certificates fails here.
module.exports = {};
