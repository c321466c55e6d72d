package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"
)

// sealer makes what only this server can make: tokens, cursors and hashes of respondents.
type sealer struct {
	aead    cipher.AEAD
	hashKey []byte
}

// openSealer reads the master key file, and makes it on the first start.
func openSealer(keyFile string) (*sealer, error) {
	master, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		master = make([]byte, 32)
		rand.Read(master)
		err = os.WriteFile(keyFile, master, 0o600)
	}
	if err != nil {
		return nil, err
	}
	keys, err := hkdf.Key(sha256.New, master, nil, "seal and hash", 64)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(keys[:32])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &sealer{aead, keys[32:]}, err
}

// seal encrypts a value for one purpose.
func (s *sealer) seal(purpose string, value any) string {
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nil, nil, []byte(encodeJSON(value)), []byte(purpose)))
}

// open reports false for anything but the exact string that seal returned for this purpose.
func (s *sealer) open(purpose, sealed string, value any) bool {
	data, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || strings.ContainsAny(sealed, "\r\n") { // which the decoder skips
		return false
	}
	plain, err := s.aead.Open(nil, nil, data, []byte(purpose))
	return err == nil && json.Unmarshal(plain, value) == nil
}

// hash returns a keyed hash of a respondent of one project.
func (s *sealer) hash(project, respondent string) []byte {
	mac := hmac.New(sha256.New, s.hashKey)
	mac.Write([]byte(project + "\x00" + respondent)) // a respondent has no control characters
	return mac.Sum(nil)
}

// importedID returns the id of an imported person.
func (s *sealer) importedID(project, email string) string {
	return "imp_" + hex.EncodeToString(s.hash(project, strings.ToLower(email))[:16])
}

// claims are what a token attests.
type claims struct {
	ID, Project, Survey, Respondent string
	Session, Observation, TaskType  string // of bound tokens; a bound token always has a session
	Purges                          int    // account purges of the project before this token
	Issued, Expires                 int64
}

// graceOfUsed is how long used tokens are remembered after they expire, for tokens/check.
const graceOfUsed = 30 * 24 * time.Hour

func (s *sealer) token(c claims) string {
	c.ID = rand.Text()
	return s.seal("show-token", c)
}

func (s *sealer) openToken(p *project, token string) (c claims, ok bool) {
	ok = s.open("show-token", token, &c) && c.Project == p.ID
	return c, ok
}
