import Foundation
import TrendyModels

struct Authenticator: Sendable {
  let accounts: HubAccounts
  let store: HubStore
  let configuration: HubConfiguration

  /// Returns the device that sent a request, or `nil` if the route needs no token.
  ///
  /// - Throws: A ``Problem`` with status 401, or 403 if a browser sent it from another site's page.
  func device(of request: HTTPRequest, for access: HubRoute.Access) async throws -> HubDevice? {
    switch access {
    case .open: return nil
    case .local: return request.isFromThisMachine ? nil : try await device(of: request)
    case .device: return try await device(of: request)
    case .tracker:
      guard let token = request.ingestToken else { throw Problem.noIngestToken }
      return try await device(token: token, of: request)
    }
  }

  func device(of request: HTTPRequest) async throws -> HubDevice {
    let values = request.headers.values(of: "Authorization")
    if values.isEmpty, let token = BrowserSession.token(of: request) {
      try configuration.check(browserOriginOf: request)
      return try await device(token: token, of: request)
    }
    guard values.count == 1, let value = values.first, value.lowercased().hasPrefix("bearer ") else {
      throw Problem(
        "unauthorized", status: 401, title: "Not paired",
        detail: "expected one header field Authorization: Bearer <token>; a token comes from pairing")
    }
    let token = value.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces)
    return try await device(token: token, of: request)
  }

  /// Returns the device that owns a token. The gate may already have looked it up.
  private func device(token: String, of request: HTTPRequest) async throws -> HubDevice {
    if let device = request.sender?.value as? HubDevice { return device }
    return try await store.device(token: token, address: request.remoteAddress, accounts: accounts)
  }
}

extension HTTPRequest {
  /// Whether a process on this machine sent the request.
  ///
  /// A local proxy that is not configured as trusted is recognized by the headers it adds.
  var isFromThisMachine: Bool {
    let isForwarded = ["Forwarded", "X-Forwarded-For", "Via"].contains { headers[$0] != nil }
    return !isForwarded
      && (remoteAddress == NetworkAddress.unixSocket || NetworkAddress(remoteAddress)?.isLoopback ?? false)
  }
}
