/** Passwords of eight characters and more that guessers try first, folded. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `00000000 0123456789 0987654321 11111111 1111111111 11223344 112233445566 12121212 12341234
  12344321 123123123 1234567890 12345678 123456789 12345678910 123456abc 123qweasd 1a2b3c4d
  1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 22222222 33333333 44444444
  55555555 66666666 77777777 87654321 88888888 98765432 987654321 99999999 a1234567 a12345678
  a1b2c3d4 aa123456 aaaaaaaa abababab abc12345 abc123456 abcd1234 abcdefgh abcdefghi access14
  administrator adminadmin admin123 admin1234 administrador alexander asdasdasd asdf1234 asdfasdf
  asdfghjk asdfghjkl babygirl baseball basketball bailey123 baseball1 bismillah blink182 butterfly
  caroline catherine changeme changeme1 charlie1 charlotte chocolate christian christine computer
  consumer corvette cowboys1 creative danielle december default1 diamond1 dolphins dragon12 einstein
  elephant elizabeth falcon12 flowers1 football football1 forever1 fortnite freedom1 fuckyou1
  gabriela gateway1 giovanni goodluck hello123 hello1234 hellohello helloworld hunter123 iloveyou
  iloveyou1 iloveyou2 internet isabella jennifer jessica1 jonathan jordan23 justin12 kawasaki
  killer123 letmein1 letmein123 liverpool liverpool1 login123 lovelove loveyou1 manchester marlboro
  maverick mercedes michael1 michelle midnight minecraft monkey12 monkey123 mustang1 mypassword
  naruto123 newpassword nicholas november nintendo p@ssw0rd p@ssword pa55word pa55w0rd pass1234
  passport passw0rd passw0rd1 password password! password0 password01 password1 password1!
  password11 password12 password123 password1234 password2 password3 password9 patricia pokemon1
  pokemon123 princess princess1 q1w2e3r4 q1w2e3r4t5 qazwsx123 qazwsxedc qweasdzxc qwer1234 qwert123
  qwerty12 qwerty123 qwerty1234 qwertyui qwertyuiop qwertyqwerty rainbow1 rockstar samantha
  samsung1 sapphire scorpion sebastian secret123 september shadow12 snowball softball spiderman
  starwars starwars1 steelers stephanie sunflower sunshine sunshine1 superman superman1 superstar
  suzume123 sweetheart test1234 testtest thunder1 tinkerbell trustno1 twitter1 twitter123 undertaker
  valentina vanessa1 veronica victoria warcraft warriors webmaster welcome1 welcome123 whatever
  william1 williams windows1 wolverine xxxxxxxx yellow12 zaq12wsx zaq1zaq1 zxcvbnm1 zxcvbnm123
  zxcvbnmz`.split(/\s+/),
);
