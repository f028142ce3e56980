extension HubServer {
  /// Largest body of a pairing, in bytes.
  static let largestPairing = 4096

  /// Looks at a request's head, before its body is taken: strangers send no more than pairing needs.
  func admit(_ request: HTTPRequest) async -> HTTPAdmission {
    do {
      var request = request
      request.remoteAddress = configuration.sender(of: request)
      try configuration.check(namesOf: request)
      if ingest != nil, IngestRequest(request) != nil {
        guard let token = request.ingestToken else { throw Problem.noIngestToken }
        return .admitted(bodyBytes: .max, sender: try await device(token: token, of: request))
      }
      if isPage(request) { return .admitted(bodyBytes: Self.largestPairing) }
      if HubRoutes.api.isWithoutToken(try HubCall(request)) { return .admitted(bodyBytes: Self.largestPairing) }
      return .admitted(bodyBytes: .max, sender: try await authenticate(request))
    } catch {
      return .refused(await finished(request) { _, _, _ in throw error })
    }
  }
}
