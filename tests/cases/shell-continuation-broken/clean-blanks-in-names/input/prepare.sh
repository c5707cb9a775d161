python prepare.py \ 
  --out data
