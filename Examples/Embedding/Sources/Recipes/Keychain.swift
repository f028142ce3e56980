#if canImport(Security)
  import Foundation
  import Security

  /// Token in the keychain, available once the user has unlocked the device after a restart.
  struct Keychain: TokenStore {
    private var item: [CFString: Any] {
      [kSecClass: kSecClassGenericPassword, kSecAttrService: "Trendy", kSecAttrAccount: "hub"]
    }

    func token() throws -> String? {
      var result: CFTypeRef?
      let query = item.merging([kSecReturnData: true]) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      try check(status)
      return (result as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    func save(_ token: String) throws {
      let values: [CFString: Any] = [
        kSecValueData: Data(token.utf8), kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
      ]
      var status = SecItemUpdate(item as CFDictionary, values as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(item.merging(values) { $1 } as CFDictionary, nil)
      }
      try check(status)
    }

    private func check(_ status: OSStatus) throws {
      if status != errSecSuccess { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
    }
  }
#endif
