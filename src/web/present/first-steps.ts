const outOfBand = "urn:ietf:wg:oauth:2.0:oob";

/** Commands from nothing to a first tweet, with curl and jq; docs/api.md has the same ones. */
export function firstSteps(site: string): string[] {
  return [
    `S=${site}`,
    `read -r ID SECRET < <(curl -s $S/api/v1/apps -d client_name=curl -d redirect_uris=${outOfBand} -d scopes='read write' | jq -r '"\\(.client_id) \\(.client_secret)"')`,
    `echo "Open $S/oauth/authorize?response_type=code&scope=read+write&redirect_uri=${outOfBand}&client_id=$ID" && read -rp 'Code: ' CODE`,
    `TOKEN=$(curl -s $S/oauth/token -d grant_type=authorization_code -d code="$CODE" -d client_id="$ID" -d client_secret="$SECRET" -d redirect_uri=${outOfBand} | jq -r .access_token)`,
    `curl -s $S/api/v1/statuses -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: 1' -d status='Hello from curl' | jq -r .url`,
  ];
}
