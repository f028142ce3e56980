import Foundation

/// Limits how often a pairing code may be tried: a code has eight digits, so guessing must be slow.
///
/// An attempt counts for the subscriber from which it comes (an IPv4 address, or the /64 network of an IPv6 address) and for the code,
/// so that a guesser keeps nobody else from pairing. It is in the storage before the code is compared: neither requests at the same
/// time nor several hubs on one database allow more. With five attempts in ten minutes, and a code valid for as long, a hundred
/// thousand addresses find a given code with a probability of one in two hundred.
public enum PairingGuard: Sendable {
  /// Attempts per address, and per code, within ``window``.
  public static let attempts = 5
  public static let window: Duration = .seconds(600)
  /// Addresses and codes remembered at once; above it those that tried least recently are forgotten.
  static let capacity = 10_000

  private static var seconds: Double { Double(window.components.seconds) }

  /// Addresses and codes are stored as hashes.
  static func keys(address: String, codeHash: String) -> [String] {
    let subscriber = NetworkAddress(address).map { "\($0.subscriber)" } ?? address
    return ["address \(subscriber)", "code \(codeHash)"].map { SHA256Digest.hexadecimal(of: $0) }
  }

  /// Adds an attempt under each key.
  /// - Returns: how long to wait, if one of the keys has too many already; then nothing was added.
  static func count(_ keys: [String], now: Date, in directory: any HubDirectoryTransaction) throws -> Duration? {
    let recent = try keys.map { key in
      // A time in the future is one of a hub whose clock was set back.
      try directory.pairingAttempts(key: key).filter { abs(now.timeIntervalSince($0)) < seconds }
    }
    let waits = recent.filter { $0.count >= attempts }.compactMap { times in
      times.first.map { seconds - now.timeIntervalSince($0) }
    }
    if let longest = waits.max() { return .seconds(min(longest, seconds).rounded(.up)) }
    try directory.deletePairingAttempts(before: now.addingTimeInterval(-seconds), keeping: capacity - keys.count)
    for (key, times) in zip(keys, recent) { try directory.putPairingAttempts(key: key, times + [now]) }
    return nil
  }

  /// Removes the attempt that succeeded.
  static func forgive(_ keys: [String], now: Date, in directory: any HubDirectoryTransaction) throws {
    for key in keys {
      var times = try directory.pairingAttempts(key: key)
      if let place = times.lastIndex(of: now) { times.remove(at: place) }
      try directory.putPairingAttempts(key: key, times)
    }
  }
}
